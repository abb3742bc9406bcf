/** `ada@example.org` as `a•••@e•••.org`: its owner knows it again, and somebody who looks over a shoulder does not learn it. */
export function maskedAddress(email: string): string {
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  const end = domain.slice(domain.lastIndexOf('.'))
  return `${firstOf(email)}•••@${firstOf(domain)}•••${end}`
}

function firstOf(text: string): string {
  return Array.from(text)[0] ?? ''
}
