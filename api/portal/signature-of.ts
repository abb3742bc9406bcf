/** Who has given no name goes by their address, which is nobody's business on a public page. */
export function signatureOf({ name, email }: { name: string; email: string }): string | null {
  return name === email ? null : name
}
