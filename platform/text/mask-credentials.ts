/** Hides the credentials of URLs within a text, also of ones that no parser accepts. */
export function maskCredentials(text: string): string {
  return text.replaceAll(/\S+/g, (word) => {
    const start = word.indexOf('://') + '://'.length
    const end = word.lastIndexOf('@')
    return start > 2 && end >= start ? `${word.slice(0, start)}…${word.slice(end)}` : word
  })
}
