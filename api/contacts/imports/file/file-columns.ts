/** Finds columns of a file by name and records those that have a meaning already. */
import { invalidField } from '../../../http/validation/invalid-field.ts'
import { shownText } from './shown-text.ts'

const namesShownMax = 20
const nameShownCharactersMax = 60

export class FileColumns {
  readonly #names: readonly string[]
  readonly #normalised: readonly string[]
  readonly #used = new Set<number>()

  constructor(names: readonly string[], normalised: readonly string[]) {
    this.#names = names
    this.#normalised = normalised
  }

  nameOf(column: number): string {
    return this.#names[column]!
  }

  /** Finds the only column with exactly this name, which the mapping uses for `field`. */
  one(name: string, field: string): number {
    const [column, second] = this.all(name, `mapping.${field}`)
    if (second !== undefined) {
      throw invalidField(`mapping.${field}`, `names two columns of the file: ${name}`)
    }
    this.#used.add(column!)
    return column!
  }

  all(name: string, field: string): number[] {
    const wanted = name.trim()
    const found = this.#names.flatMap((own, column) => (own === wanted ? [column] : []))
    if (found.length === 0) {
      throw invalidField(field, `names no column of the file: ${shownNames(this.#names)}`)
    }
    return found
  }

  named(normalised: string): number[] {
    return this.#normalised.flatMap((own, column) => (own === normalised ? [column] : []))
  }

  /** Uses the first column with one of these names that is neither used nor ignored. */
  take(candidates: readonly string[], ignored: ReadonlySet<number>): number | undefined {
    for (const candidate of candidates) {
      const column = this.named(candidate).find((own) => !ignored.has(own) && !this.#used.has(own))
      if (column === undefined) continue
      this.#used.add(column)
      return column
    }
    return undefined
  }

  /** Returns false when the column has a meaning already. */
  use(column: number): boolean {
    if (this.#used.has(column)) return false
    this.#used.add(column)
    return true
  }

  isUsed(column: number): boolean {
    return this.#used.has(column)
  }
}

export function shownNames(names: readonly string[]): string {
  return names
    .slice(0, namesShownMax)
    .map((name) => shownText(name, nameShownCharactersMax))
    .join(', ')
}
