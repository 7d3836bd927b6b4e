"""The plugins that come with permaudit; the host finds them as it finds any other."""
