/** What the API says about a file once, when it is uploaded, for the report that follows. */
const notesOfImport = new Map<string, readonly string[]>()

export function keepNotes(id: string, notes: readonly string[]): void {
  if (notes.length > 0) notesOfImport.set(id, notes)
}

export function notesOf(id: string): readonly string[] {
  return notesOfImport.get(id) ?? []
}
