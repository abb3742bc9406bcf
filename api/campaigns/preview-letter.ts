/** A letter as one reader would get it, before anybody does. Its personal links lead nowhere. */
import {
  type CompiledLetter,
  type FilledLetter,
  fillLetter,
  type Part,
  type Reader,
  readerValue,
} from '#schemas/mail/compiled-letter.ts'

export interface PreviewedLetter extends FilledLetter {
  /** What the letter asks for and this reader does not have. */
  readonly missing: string[]
}

export function previewLetter(
  letter: CompiledLetter,
  reader: Pick<Reader, 'name' | 'attribs'>,
  apiUrl: string,
): PreviewedLetter {
  const links = {
    unsubscribe: `${apiUrl}/u/preview`,
    preferences: `${apiUrl}/preferences/preview`,
    openPixel: `${apiUrl}/o/preview.gif`,
    clickBase: `${apiUrl}/c/preview`,
  }
  const missing = valuesOf(letter).filter((value) => readerValue(reader, value) === '')
  return { ...fillLetter(letter, { ...reader, links }), missing }
}

/** Each once, in the order of the letter. */
export function valuesOf(letter: CompiledLetter): string[] {
  return [...new Set(allParts(letter).flatMap((part) => valueNamed(part)))]
}

/** Those without a text for readers who have no value. */
export function valuesWithoutFallback(letter: CompiledLetter): string[] {
  const bare = allParts(letter).filter(
    (part) => typeof part !== 'string' && 'value' in part && part.fallback === '',
  )
  return [...new Set(bare.flatMap((part) => valueNamed(part)))]
}

function allParts(letter: CompiledLetter): Part[] {
  return [...letter.subject, ...letter.html, ...letter.text]
}

function valueNamed(part: Part): string[] {
  return typeof part !== 'string' && 'value' in part ? [part.value] : []
}
