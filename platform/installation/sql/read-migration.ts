/**
 * Judges whether processes of the previous version survive a migration of Postgres. A statement
 * that is not known to be safe is refused. docs/how-to/migration.md states the rules.
 */
import { Effects, type MigrationEffects, Schema } from './migration-effects.ts'
import { concernsOnlyNew, readAlterTable } from './read-alter-table.ts'
import { readClickHouseStatement } from './read-clickhouse.ts'
import { type Dialect, readStatements, type Token } from './read-statements.ts'
import { TokenReader } from './token-reader.ts'

/** Reads migrations in their order: later ones refer to what earlier ones have created. */
export class MigrationReader {
  readonly #dialect: Dialect
  readonly #schema = new Schema()

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  read(sql: string): MigrationEffects {
    const effects = new Effects(this.#schema)
    try {
      for (const tokens of readStatements(sql, this.#dialect)) {
        const reader = new TokenReader(tokens)
        if (this.#dialect === 'postgres') readStatement(reader, effects)
        else readClickHouseStatement(reader, effects)
      }
    } catch (error) {
      effects.break(`it cannot be read: ${(error as Error).message}`)
    }
    const { breaks, tables, slow } = effects
    return { breaks, tables, slow }
  }
}

const harmless =
  'comment on|create extension|create schema|create sequence|create type|create domain|create view|create materialized view|create trigger|create constraint trigger|create aggregate|create statistics|grant|analyze'.split(
    '|',
  )

function readStatement(reader: TokenReader, effects: Effects): void {
  if (reader.accept('alter table')) readAlterTable(reader, effects)
  else if (reader.accept('create table') || reader.accept('create unlogged table')) {
    readCreateTable(reader, effects)
  } else if (reader.accept('create or replace function') || reader.accept('create function')) {
    readFunction(reader, effects)
  } else if (reader.accept('create unique index')) readIndex(reader, true, effects)
  else if (reader.accept('create index')) readIndex(reader, false, effects)
  else if (reader.accept('drop index')) readDropIndex(reader, effects)
  else if (reader.accept('alter type')) readAlterType(reader, effects)
  else if (harmless.some((phrase) => reader.accept(phrase))) readOn(reader, effects)
  else if (!isDataChange(reader, effects)) {
    effects.break(`this statement is not known to be safe: ${reader.text()}`)
  }
}

function readCreateTable(reader: TokenReader, effects: Effects): void {
  reader.accept('if not exists')
  const table = reader.name() ?? '?'
  effects.create(table)
  reader.tokens.forEach(({ kind, value }, at) => {
    if (kind !== 'word' || value !== 'references') return
    // A foreign key locks the table it refers to against writes, for a moment.
    const target = new TokenReader(reader.tokens.slice(at + 1)).name()
    if (target !== undefined && target !== table) effects.touch(target)
  })
}

/** A function with other arguments or another result is another function. */
function readFunction(reader: TokenReader, effects: Effects): void {
  const name = reader.name() ?? '?'
  const from = reader.at
  reader.parenthesized()
  const rest = reader.rest()
  const end = rest.findIndex(
    ({ kind, value }) => kind === 'word' && /^(?:language|as|begin|return)$/.test(value),
  )
  const signature = [...reader.tokens.slice(from, reader.at), ...rest.slice(0, end)]
    .map(({ value }) => value)
    .join(' ')
  const before = effects.schema.functions.get(name)
  if (before !== undefined && before !== signature) {
    effects.break(`it replaces the function ${name} by one with another signature`)
  }
  effects.schema.functions.set(name, signature)
}

function readIndex(reader: TokenReader, isUnique: boolean, effects: Effects): void {
  const concurrently = reader.accept('concurrently')
  reader.accept('if not exists')
  const name = reader.accept('on') ? '' : (reader.name() ?? '')
  if (name !== '') reader.accept('on')
  reader.accept('only')
  const table = reader.name() ?? '?'
  if (name !== '') effects.schema.uniqueNames.set(name, isUnique)
  effects.touch(table)
  if (concurrently) effects.break('`concurrently` cannot run in the transaction of the migrations')
  effects.slowOn(table, `builds the index ${name}; writes wait`)
  if (isUnique && !effects.isNew(table) && !concernsOnlyNew(table, reader.rest(), effects)) {
    effects.break(
      `it adds the unique index ${name} on ${table}, which rows of the previous version may break`,
    )
  }
}

/** A unique index is needed by `on conflict (…)`. */
function readDropIndex(reader: TokenReader, effects: Effects): void {
  reader.accept('concurrently')
  reader.accept('if exists')
  for (const part of reader.list()) {
    const name = new TokenReader(part).name() ?? '?'
    if (effects.schema.uniqueNames.get(name) === false) continue
    effects.break(`it drops the index ${name}, which is unique or not of an earlier migration`)
  }
}

function readAlterType(reader: TokenReader, effects: Effects): void {
  const name = reader.name() ?? '?'
  if (reader.accept('add value')) return
  effects.break(`it changes the type ${name}`)
}

/** `create trigger … on table`, `comment on …`: the table is locked for a moment. */
function readOn(reader: TokenReader, effects: Effects): void {
  if (!/^(?:trigger|constraint)$/.test(reader.tokens[1]?.value ?? '')) return
  const at = reader.tokens.findIndex(({ kind, value }) => kind === 'word' && value === 'on')
  const table = new TokenReader(reader.tokens.slice(at + 1)).name()
  if (at >= 0 && table !== undefined) effects.touch(table)
}

function isDataChange(reader: TokenReader, effects: Effects): boolean {
  // In a common table expression every statement counts.
  const isWith = reader.accept('with')
  const from = reader.at
  const first = reader.tokens[from]
  if (!isWith && !(first?.kind === 'word' && dataWords.has(first.value))) return false
  reader.tokens.forEach((token, at) => {
    const table = tableOfChange(reader.tokens, at)
    if (token.kind !== 'word' || table === undefined) return
    effects.touch(table)
    if (token.value === 'update' || token.value === 'delete') {
      effects.slowOn(table, `${token.value}s rows, which stay locked until all migrations have run`)
    }
  })
  return true
}

const dataWords = new Set(['insert', 'update', 'delete', 'select', 'values', 'set', 'reset'])

function tableOfChange(tokens: readonly Token[], at: number): string | undefined {
  const reader = new TokenReader(tokens.slice(at))
  if (reader.accept('insert into') || reader.accept('delete from')) {
    reader.accept('only')
    return reader.name()
  }
  // Not the `do update` of an insert, and not `for update`.
  const before = tokens[at - 1]?.value
  if (before === 'do' || before === 'for' || before === 'key') return undefined
  if (!reader.accept('update')) return undefined
  reader.accept('only')
  return reader.name()
}
