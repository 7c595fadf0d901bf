"""Files that people send: checked, scanned, stored, opened for actions and downloads, and removed."""
