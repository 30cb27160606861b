"""What made-up readers and creators are called."""

FIRST_NAMES = (
    *("Ada", "Bela", "Chidi", "Dara", "Elif", "Femi", "Greta", "Hana", "Ivo", "Jun"),
    *("Kofi", "Lena", "Mira", "Noor", "Oskar", "Pia", "Quim", "Rosa", "Sami", "Tove"),
)
LAST_NAMES = ("Abara", "Berg", "Costa", "Dahl", "Eriksen", "Ferrari", "Garcia", "Hansen", "Ito", "Jansen")
