import { z } from 'zod'

/**
 * Text that people type and stores take, trimmed and in one spelling (NFC). Line breaks and tabs
 * stay; other control characters, which nobody types and Postgres partly refuses, go. The bounds
 * hold for what is left.
 */
export function plainText(charactersMax: number) {
  return z.string().transform(cleanPlainText).pipe(z.string().max(charactersMax))
}

export function cleanPlainText(text: string): string {
  return storableCharacters(text).normalize('NFC').trim()
}

/**
 * Changes only what no store takes, so a text that comes back from a file is the one that was
 * stored.
 */
export function storableCharacters(text: string): string {
  return (
    text
      .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is removed.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')
  )
}
