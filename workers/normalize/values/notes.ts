import { notesPerEventMax } from '../field-limits.ts'

export interface Note {
  readonly field: string
  readonly rule: string
}

/**
 * What normalisation changed or left out, for a person who wonders where a value went. Equal notes
 * are one, since a thousand frames with the same fault say nothing more than the first.
 */
export class Notes {
  readonly #list: Note[] = []

  add(field: string, rule: string): void {
    if (this.#list.length >= notesPerEventMax) return
    if (this.#list.some((note) => note.field === field && note.rule === rule)) return
    this.#list.push({ field, rule })
  }

  /** Undefined without notes: JSON then leaves the field out. */
  list(): readonly Note[] | undefined {
    return this.#list.length === 0 ? undefined : this.#list
  }
}
