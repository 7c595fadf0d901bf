"""What an operator of the installation types: the commands of manage.py."""
