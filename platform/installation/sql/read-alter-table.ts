/** The effects of `alter table` in Postgres. An action that is not known here is refused. */
import type { Effects } from './migration-effects.ts'
import type { Token } from './read-statements.ts'
import { hasPhrase, TokenReader } from './token-reader.ts'

/** Functions whose value differs by row, so that Postgres rewrites the table. */
const volatile = /^(?:gen_random_uuid|uuidv7|uuidv4|random|nextval|clock_timestamp|timeofday)$/
/** Words of a check or an index expression that are no columns. */
const keywords = new Set(
  'where and or not is null in between like ilike true false any all array distinct from case when then else end asc desc nulls first last'.split(
    ' ',
  ),
)

/** `alter table` was read already. */
export function readAlterTable(reader: TokenReader, effects: Effects): void {
  reader.accept('if exists')
  reader.accept('only')
  const table = reader.name() ?? '?'
  reader.accept('*')
  effects.touch(table)
  for (const action of reader.list()) {
    // All is allowed on a table that the previous version does not know.
    if (effects.isNew(table)) continue
    readAction(table, new TokenReader(action), effects)
  }
}

function readAction(table: string, action: TokenReader, effects: Effects): void {
  if (action.accept('add')) readAdd(table, action, effects)
  else if (action.accept('drop')) readDrop(table, action, effects)
  else if (action.accept('rename')) effects.break(`it renames something of ${table}`)
  else if (action.accept('validate constraint')) {
    effects.slowOn(table, 'reads all rows to validate a constraint; queries continue')
  } else if (action.accept('alter')) readAlterColumn(table, action, effects)
  else if (!harmless.some((phrase) => action.accept(phrase))) {
    effects.break(`it changes ${table} in a way that is not known to be safe: ${action.text()}`)
  }
}

const harmless = [
  'set (',
  'reset (',
  'enable trigger',
  'attach partition',
  'cluster on',
  'owner to',
]

function readAdd(table: string, action: TokenReader, effects: Effects): void {
  const [first] = action.rest()
  const isConstraint =
    first?.kind === 'word' &&
    /^(?:constraint|check|unique|primary|foreign|exclude)$/.test(first.value)
  if (isConstraint) readConstraint(table, action, effects)
  else readAddColumn(table, action, effects)
}

function readAddColumn(table: string, action: TokenReader, effects: Effects): void {
  action.accept('column')
  action.accept('if not exists')
  const column = action.name() ?? '?'
  effects.addColumn(table, column)
  const definition = action.rest()
  const isFilled =
    hasPhrase(definition, 'default') ||
    hasPhrase(definition, 'generated') ||
    definition.some(({ kind, value }) => kind === 'word' && /serial$/.test(value))
  const isRequired = hasPhrase(definition, 'not null') || hasPhrase(definition, 'primary key')
  if (isRequired && !isFilled) {
    effects.break(`it adds the column ${table}.${column}, not null and without a default`)
  }
  const rewrites =
    hasPhrase(definition, 'stored') ||
    hasPhrase(definition, 'as identity') ||
    definition.some(({ kind, value }) => kind === 'word' && /serial$/.test(value)) ||
    definition.some(({ kind, value }) => kind === 'word' && volatile.test(value))
  if (rewrites) {
    effects.slowOn(table, `rewrites the table for the column ${column}; all queries wait`)
  }
  if (hasPhrase(definition, 'unique') || hasPhrase(definition, 'primary key')) {
    effects.slowOn(table, `builds an index on ${column}; all queries wait`)
  }
}

function readConstraint(table: string, action: TokenReader, effects: Effects): void {
  const name = action.accept('constraint') ? (action.name() ?? '?') : ''
  const definition = action.rest()
  const what = name === '' ? `a constraint of ${table}` : `the constraint ${name} of ${table}`
  const isUnique = /^(?:unique|primary|exclude)$/.test(definition[0]?.value ?? '')
  effects.schema.uniqueNames.set(name, isUnique)
  const references = phraseTail(definition, 'references') ?? []
  const other = new TokenReader(references).name()
  if (other !== undefined) effects.touch(other)
  const own = references.length > 0 ? columnsBeforeReferences(definition) : definition
  const isNotValid = hasPhrase(definition, 'not valid')
  if (!isNotValid) {
    effects.slowOn(table, `reads all rows for ${what}; all writes wait`)
    if (!concernsOnlyNew(table, own, effects)) {
      effects.break(
        `it adds ${what}, which rows of the previous version may break${isUnique ? '' : ': add it `not valid`'}`,
      )
    }
  }
}

/** Whether each column that is named was added by this migration. */
export function concernsOnlyNew(
  table: string,
  tokens: readonly Token[],
  effects: Effects,
): boolean {
  const inner = tokens.findIndex(({ kind, value }) => kind === 'sign' && value === '(')
  const names = tokens.slice(inner).filter(({ kind, value }, at, all) => {
    if (kind === 'name') return true
    if (kind !== 'word' || /^\d/.test(value) || keywords.has(value)) return false
    const next = all[at + 1]
    return !(next?.kind === 'sign' && next.value === '(')
  })
  return inner >= 0 && names.every(({ value }) => effects.isNewColumn(table, value))
}

function readDrop(table: string, action: TokenReader, effects: Effects): void {
  if (!action.accept('constraint')) {
    effects.break(`it drops a column of ${table}`)
    return
  }
  action.accept('if exists')
  const name = action.name() ?? '?'
  // `on conflict (…)` needs it.
  const isUnique = effects.schema.uniqueNames.get(name) ?? /_(?:pkey|key|excl)$/.test(name)
  if (isUnique) effects.break(`it drops ${name}, which makes rows of ${table} unique`)
}

function readAlterColumn(table: string, action: TokenReader, effects: Effects): void {
  action.accept('column')
  const column = action.name() ?? '?'
  if (action.accept('set data type') || action.accept('type')) {
    effects.slowOn(table, `may rewrite the table for the type of ${column}; all queries wait`)
    effects.break(`it changes the type of ${table}.${column}`)
  } else if (action.accept('set not null')) {
    effects.slowOn(table, `reads all rows for the not null of ${column}; all queries wait`)
    effects.break(`it makes ${table}.${column} not null`)
  } else if (!isHarmlessForColumn(action, effects.isNewColumn(table, column))) {
    effects.break(`it changes the column ${table}.${column}: ${action.text()}`)
  }
}

function isHarmlessForColumn(action: TokenReader, isNew: boolean): boolean {
  return (
    action.accept('set default') ||
    action.accept('drop not null') ||
    action.accept('set statistics|storage|compression') ||
    (isNew && action.accept('drop default'))
  )
}

function phraseTail(tokens: readonly Token[], word: string): Token[] | undefined {
  const at = tokens.findIndex(({ kind, value }) => kind === 'word' && value === word)
  return at === -1 ? undefined : tokens.slice(at + 1)
}

function columnsBeforeReferences(tokens: readonly Token[]): Token[] {
  const at = tokens.findIndex(({ kind, value }) => kind === 'word' && value === 'references')
  return tokens.slice(0, at)
}
