"""Text that matches what a user typed: letters in order, `!` negates."""


def matches(wanted: str, text: str, *, loose: bool = True) -> bool:
    """Does a text match all words of the wish, in either case?

    Args:
        wanted: words with blanks between them. One behind `!` must not stand in the text; a lone `!` says nothing yet.
        text: a name, or whatever is searched.
        loose: a word matches where its letters stand in the text in that order (`ord` finds `old-records`), as is good
            for names; else it must stand there as it is.
    """
    folded = text.casefold()
    return all(_word(word, folded, loose) for word in wanted.casefold().split())


def _word(word: str, text: str, loose: bool) -> bool:
    if word.startswith("!"):
        return len(word) == 1 or word[1:] not in text
    if not loose:
        return word in text
    letters = iter(text)
    return all(letter in letters for letter in word)
