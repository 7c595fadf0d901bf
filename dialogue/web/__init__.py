"""What people and programs see: pages, sockets, the API, and the forms between them and the desk."""
