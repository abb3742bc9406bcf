/** Parses MAIL_FROM: `Name <address>` or an address. */
export function readSender(text: string): {
  readonly address: string
  readonly name: string | null
} {
  const [, name, address] = /^\s*"?([^"<]*?)"?\s*<([^<>\s]+)>\s*$/.exec(text) ?? []
  if (address === undefined) return { address: text.trim(), name: null }
  return { address, name: name === '' ? null : (name ?? null) }
}
