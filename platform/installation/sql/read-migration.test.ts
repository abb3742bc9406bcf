import { expect, test } from 'vitest'
import { isContract } from '../contract.ts'
import { readMigrations } from '../migrate.ts'
import { MigrationReader } from './read-migration.ts'
import type { Dialect } from './read-statements.ts'

/** Migrations before it are older than the rule. */
const firstChecked = { postgres: 30, clickhouse: 8 }

const earlier = `
  create table notes (id int primary key, project_id int, title text, constraint long check (id > 0));
  create index notes_by_title on notes (title);
  create unique index notes_title_once on notes (title);
  create function count_notes(project int) returns int language sql as $$ select 1 $$;`

function breaksOf(dialect: Dialect, sql: string): readonly string[] {
  const reader = new MigrationReader(dialect)
  if (dialect === 'postgres') reader.read(earlier)
  return reader.read(sql).breaks
}

test.each([
  "create table pages (id int primary key, title text not null unique check (title <> ''))",
  'create table pages (id int); alter table pages alter column id type bigint, alter id set not null',
  'create table pages (id int); alter table pages drop column id; create unique index on pages (id)',
  'alter table notes add column color text',
  "alter table notes add color text not null default 'red'",
  'alter table notes add column if not exists color int default 1 check (color > 0), add a int',
  'alter table only public.notes add column no bigint generated always as identity not null',
  'alter table notes add column a int, add column b int, add constraint both_or_none check (num_nonnulls(a, b) in (0, 2))',
  'alter table notes add column a int; create unique index on notes (a) where a is not null',
  'alter table notes add constraint short check (length(title) < 99) not valid',
  'alter table notes add constraint of_project foreign key (project_id) references projects (id) not valid',
  'alter table notes add column owner uuid references people (id) on delete set null',
  'alter table notes drop constraint long, add constraint long check (id > -1) not valid',
  "alter table notes alter title set default '', alter column title drop not null",
  'alter table notes set (fillfactor = 80), validate constraint short',
  'create index on notes (project_id)',
  'drop index if exists notes_by_title',
  'create or replace function count_notes(project int) returns int language sql as $$ select 2 $$',
  'create function other(project int) returns int language sql as $$ drop table notes; $$',
  'create trigger changed after update on notes for each row execute function notify()',
  "alter type mood add value 'glad'",
  "comment on table notes is 'drop table notes; it''s old'",
  "update notes set title = '; drop table notes; --' where true",
  "update notes set title = E'\\'; drop table notes; --'",
  'insert into notes (title) values ($x$ alter table notes drop column title; $x$) on conflict do nothing',
  'delete from notes where id < 0; with old as (select 1) select * from old',
  '-- drop table notes;\nselect 1',
  '/* drop table notes; /* nested */ drop table notes; */ select 1',
  'select "drop table notes" from notes as "; drop table notes"',
  '',
  ';;  ;',
])('the previous version survives: %s', (sql) => {
  expect(breaksOf('postgres', sql)).toEqual([])
})

test.each([
  ['drop table notes', 'drop table notes'],
  ['DROP /* softly */ TABLE -- now\n IF EXISTS notes', 'drop table'],
  ["select '--'; drop table notes", 'drop table'],
  ["select 'it''s'; drop table notes --'", 'drop table'],
  ["select E'\\\\'; drop table notes", 'drop table'],
  ["select '\\'; drop table notes; --'", 'drop table'],
  ['select $a$ $b$ $a$; drop table notes; select $b$ $b$', 'drop table'],
  ['/* a /* b */ */ drop table notes', 'drop table'],
  ['\uFEFFdrop table notes', 'drop table'],
  ['alter table notes drop column title', 'drops a column of notes'],
  ['alter table notes drop title cascade', 'drops a column of notes'],
  ['alter table notes rename title to name', 'renames something of notes'],
  ['alter table notes rename to pages', 'renames something'],
  ['alter table "notes" rename column "title" to "name"', 'renames something'],
  ['alter table notes alter column title type varchar(9)', 'changes the type of notes.title'],
  ['alter table notes alter id set data type bigint using id', 'changes the type of notes.id'],
  ['alter table notes alter title set not null', 'makes notes.title not null'],
  ['alter table notes alter title drop default', 'changes the column notes.title'],
  ['alter table notes add column a int, alter id drop identity', 'changes the column notes.id'],
  ['alter table notes add color text not null', 'without a default'],
  ['alter table notes add column a int default 1, add b int primary key', 'without a default'],
  ['alter table notes add constraint short check (length(title) < 9)', 'the constraint short'],
  ["alter table notes add check (title <> '')", 'a constraint of notes'],
  ['alter table notes add column a int, add check (a > id)', 'a constraint of notes'],
  ['alter table notes add unique (title)', 'a constraint of notes'],
  ['alter table notes add foreign key (project_id) references projects', 'a constraint of notes'],
  ['alter table notes add constraint one primary key using index x', 'the constraint one'],
  ['alter table notes drop constraint notes_pkey', 'makes rows of notes unique'],
  ['alter table notes set schema old', 'not known to be safe'],
  ['alter table notes enable row level security', 'not known to be safe'],
  ['alter table notes disable trigger all', 'not known to be safe'],
  ['create unique index once on notes (lower(title))', 'the unique index once on notes'],
  ['create index concurrently on notes (title)', 'cannot run in the transaction'],
  ['drop index notes_title_once', 'drops the index notes_title_once'],
  ['drop index unheard_of', 'drops the index unheard_of'],
  [
    'create or replace function count_notes(project bigint) returns int as $$ $$',
    'another signature',
  ],
  [
    'create or replace function count_notes(project int) returns bigint language sql as $$ $$',
    'another signature',
  ],
  ['drop function count_notes(int)', 'drop function'],
  ['drop trigger changed on notes', 'drop trigger'],
  ['create or replace view all_notes as select 1', 'create or replace view'],
  ["alter type mood rename value 'a' to 'b'", 'changes the type mood'],
  ["do $$ begin execute 'drop table notes'; end $$", 'not known to be safe: do'],
  ['truncate notes', 'truncate notes'],
  ['alter index notes_by_title rename to x', 'alter index'],
  ['create rule r as on insert to notes do instead nothing', 'create rule'],
  ['call migrate_all()', 'call migrate_all'],
  ['commit', 'commit'],
  ['revoke all on notes from sluice', 'revoke all'],
  ["select 'no end", 'cannot be read'],
  ['select $x$ no end $y$', 'cannot be read'],
  ['/* no end', 'cannot be read'],
])('the previous version breaks: %s', (sql, reason) => {
  expect(breaksOf('postgres', sql).join('\n')).toContain(reason)
})

test.each([
  ["alter table events add column if not exists a String default 'drop table x'", undefined],
  [
    'alter table events add projection if not exists p (select a, b order by a), modify setting x = 1',
    undefined,
  ],
  ['alter table events materialize projection p', undefined],
  [
    'alter table events add index a b type minmax, drop index if exists c, drop projection d',
    undefined,
  ],
  ['alter table events add column a Int8, modify order by (b, a)', undefined],
  ['alter table events modify order by b', 'modify order by b'],
  ['create table if not exists pages (a Int32) engine = Log -- drop', undefined],
  ['alter table events drop column a', 'drop column a'],
  ['alter table events add column a Int8, rename column b to c', 'rename column b to c'],
  ['alter table events modify column a UInt64', 'modify column a'],
  ['rename table events to old', 'rename table'],
  ['drop table `events`', 'drop table'],
  ["select '\\''; exchange tables a and b", 'exchange tables'],
  ['truncate table events', 'truncate table'],
])('ClickHouse: %s', (sql, reason) => {
  const breaks = breaksOf('clickhouse', sql).join('\n')
  if (reason === undefined) expect(breaks).toBe('')
  else expect(breaks).toContain(reason)
})

test.each([
  ['alter table notes add column at timestamptz default now()', ['notes'], []],
  [
    'alter table notes add column id uuid default gen_random_uuid()',
    ['notes'],
    ['rewrites the table'],
  ],
  [
    'alter table notes add column n int generated always as (id + 1) stored',
    ['notes'],
    ['rewrites'],
  ],
  ['create index new on notes (title)', ['notes'], ['builds the index new; writes wait']],
  ['update notes set title = 1; delete from people', ['notes', 'people'], ['updates', 'deletes']],
  ['insert into notes values (1) on conflict (id) do update set id = 2', ['notes'], []],
  [
    'create table pages (note int references notes (id)); create index on pages (note)',
    ['notes'],
    [],
  ],
  ['alter table notes add constraint c check (true) not valid', ['notes'], []],
])('tables and slow steps: %s', (sql, tables, texts) => {
  const effects = new MigrationReader('postgres').read(sql)
  expect(effects.tables).toEqual(tables)
  expect(effects.slow).toHaveLength(texts.length)
  for (const [at, text] of texts.entries()) expect(effects.slow[at]!.text).toContain(text)
})

test.each([
  ['-- contract\ndrop table a', true],
  ['\uFEFF-- contract\r\ndrop table a', true],
  ['-- Drops what nothing reads any more.\n\n--contract: after version 2\ndrop table a', true],
  ['-- contracts of clients\ncreate table contracts (id int)', false],
  ['-- contract terms\nselect 1', false],
  ['select 1;\n-- contract', false],
  ['/*\n-- contract\n*/', false],
  ['', false],
])('contract: %j is %s', (sql, expected) => {
  expect(isContract(sql)).toBe(expected)
})

test.each(['postgres', 'clickhouse'] as const)(
  'every migration of %s is an expansion, or says `-- contract` in a comment at its top',
  async (store) => {
    const reader = new MigrationReader(store)
    const refused = (await readMigrations(store)).flatMap(({ name, sql }) => {
      const { breaks } = reader.read(sql)
      const isChecked = Number(name.slice(0, 4)) >= firstChecked[store]
      return !isChecked || isContract(sql) ? [] : breaks.map((text) => `${name}: ${text}`)
    })
    expect(refused).toEqual([])
  },
)
