#!/usr/bin/env python3
"""Soni Admin's command line: `python manage.py COMMAND`; `python manage.py help` lists them."""

from soni_admin.__main__ import main

if __name__ == "__main__":
    main()
