import { notesPerEventMax } from '../field-limits.ts'

export interface Note {
  readonly field: string
  readonly rule: string
}

/**
 * Notes about values that normalisation changed or left out, for a person who looks for them. Equal
 * notes are kept once, because a thousand frames with the same fault need only one.
 */
export class Notes {
  readonly #list: Note[] = []

  add(field: string, rule: string): void {
    if (this.#list.length >= notesPerEventMax) return
    if (this.#list.some((note) => note.field === field && note.rule === rule)) return
    this.#list.push({ field, rule })
  }

  /** Undefined without notes, so that JSON leaves the field out. */
  list(): readonly Note[] | undefined {
    return this.#list.length === 0 ? undefined : this.#list
  }
}
