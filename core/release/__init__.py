"""What may leave the room: named beforehand, column by column."""
