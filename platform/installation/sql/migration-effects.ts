/** What a migration does to the processes that run: collected statement by statement. */

export interface MigrationEffects {
  /** Why processes of the previous version do not survive it; empty for an expansion. */
  readonly breaks: readonly string[]
  /** Tables that existed before and that it changes or locks. */
  readonly tables: readonly string[]
  /** What takes long or blocks queries on a large table. */
  readonly slow: readonly SlowStep[]
}

export interface SlowStep {
  readonly table: string
  readonly text: string
}

/** What earlier migrations made, and what this one has made so far. */
export class Schema {
  /** Function name → its arguments and result. */
  readonly functions = new Map<string, string>()
  /** Index or constraint name → whether it makes values unique. */
  readonly uniqueNames = new Map<string, boolean>()
}

export class Effects implements MigrationEffects {
  readonly breaks: string[] = []
  readonly slow: SlowStep[] = []
  readonly schema: Schema
  readonly #tables = new Set<string>()
  readonly #newTables = new Set<string>()
  readonly #newColumns = new Map<string, Set<string>>()

  constructor(schema: Schema) {
    this.schema = schema
  }

  get tables(): string[] {
    return [...this.#tables]
  }

  break(text: string): void {
    this.breaks.push(text)
  }

  touch(table: string): void {
    if (!this.isNew(table)) this.#tables.add(table)
  }

  slowOn(table: string, text: string): void {
    if (!this.isNew(table)) this.slow.push({ table, text })
  }

  create(table: string): void {
    this.#newTables.add(table)
  }

  /** Whether this migration has created the table: the previous version does not use it. */
  isNew(table: string): boolean {
    return this.#newTables.has(table)
  }

  addColumn(table: string, column: string): void {
    const columns = this.#newColumns.get(table) ?? new Set()
    this.#newColumns.set(table, columns.add(column))
  }

  isNewColumn(table: string, column: string): boolean {
    return this.isNew(table) || this.#newColumns.get(table)?.has(column) === true
  }
}
