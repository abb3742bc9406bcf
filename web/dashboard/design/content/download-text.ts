const keptMs = 10_000

/** Saves a text as a file on the person's machine. */
export function downloadText(fileName: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  // The browser reads the text after the click.
  setTimeout(() => URL.revokeObjectURL(url), keptMs)
}
