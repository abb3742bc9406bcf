/** The effects of a statement of ClickHouse. A statement that is not known is refused. */
import type { Effects } from './migration-effects.ts'
import { TokenReader } from './token-reader.ts'

/**
 * An index or a projection only makes queries faster: none needs it, and it constrains nothing.
 */
const harmlessActions =
  'add column|add index|drop index|add projection|drop projection|add constraint|comment column|modify setting|modify comment|materialize index|materialize projection|materialize column|materialize statistics|add statistics|modify ttl'.split(
    '|',
  )
/** They write every part of the table again, in the background. */
const mutation = /^(?:materialize|update|delete)$/

export function readClickHouseStatement(reader: TokenReader, effects: Effects): void {
  const creates = [
    'create table',
    'create materialized view',
    'create view',
    'create dictionary',
    'create function',
  ]
  if (creates.some((phrase) => reader.accept(phrase))) {
    reader.accept('if not exists')
    effects.create(reader.name() ?? '?')
  } else if (reader.accept('insert into')) {
    reader.accept('table')
    effects.touch(reader.name() ?? '?')
  } else if (reader.accept('alter table')) readAlterTable(reader, effects)
  else if (!reader.accept('create database') && !reader.accept('select')) {
    effects.break(`this statement is not known to be safe: ${reader.text()}`)
  }
}

function readAlterTable(reader: TokenReader, effects: Effects): void {
  const table = reader.name() ?? '?'
  effects.touch(table)
  if (reader.accept('on cluster')) reader.name()
  if (effects.isNew(table)) return
  const actions = reader.list()
  // ClickHouse extends a sorting key only by columns that the same statement adds. A key that did
  // not get longer could sum rows that were separate.
  const addsColumn = actions.some((action) => new TokenReader(action).accept('add column'))
  for (const action of actions) {
    const one = new TokenReader(action)
    const first = action[0]?.value ?? ''
    const isKnown =
      harmlessActions.some((phrase) => one.accept(phrase)) ||
      one.accept('update|delete') ||
      (addsColumn && one.accept('modify order by'))
    if (!isKnown) {
      effects.break(`it changes ${table} in a way that is not known to be safe: ${one.text()}`)
    }
    if (mutation.test(first)) {
      effects.slowOn(table, `writes its parts again (${first}), which takes disk space and time`)
    }
  }
}
