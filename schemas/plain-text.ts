import { z } from 'zod'

/**
 * Text that people type, trimmed and normalised to NFC. Line breaks and tabs stay; other control
 * characters are removed, because Postgres rejects some of them. The limits apply to the result.
 */
export function plainText(charactersMax: number) {
  return z.string().transform(cleanPlainText).pipe(z.string().max(charactersMax))
}

export function cleanPlainText(text: string): string {
  return storableCharacters(text).normalize('NFC').trim()
}

/** Removes only characters that no store accepts, so that stored text is read back unchanged. */
export function storableCharacters(text: string): string {
  return (
    text
      .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is removed.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')
  )
}
