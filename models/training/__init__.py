"""Commands that make what models/weights holds. They may import everything; nothing imports them."""
