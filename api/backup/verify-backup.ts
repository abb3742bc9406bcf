/** Reads every object of a backup and compares it with the manifest. Changes nothing. */
import { systemClock } from '#platform/clock.ts'
import type { Manifest, ObjectRef } from '#schemas/backup/manifest.ts'
import { rowsOfFirstBlock } from './clickhouse/part-store.ts'
import { readObject } from './objects/read-object.ts'
import type { Place } from './places/place.ts'

export interface Problem {
  /** Table that the object belongs to. */
  readonly table: string
  readonly sha256: string
  readonly problem: string
}

export interface Verified {
  readonly id: string
  readonly pointAt: string
  readonly objects: number
  readonly bytes: number
  readonly rows: number
  readonly problems: readonly Problem[]
  readonly durationMs: number
}

export interface VerifyBackup {
  readonly place: Place
  readonly manifest: Manifest
  /** Share of the objects to read, above 0 up to 1. */
  readonly share?: number
  readonly say?: (line: string) => void
}

const readsAtOnce = 4
/** A place that is gone has a problem for each object; further ones are counted only. */
const problemsMax = 1_000
const progressObjects = 1_000

export async function verifyBackup(options: VerifyBackup): Promise<Verified> {
  const { manifest, share = 1 } = options
  const startedMs = systemClock.monotonicMs()
  const checks = listChecks(manifest).filter(({ object }) => isSampled(object, share))
  const problems = checkSums(manifest)
  let bytes = 0
  let rows = 0
  let next = 0
  const run = async () => {
    while (next < checks.length && problems.length < problemsMax) {
      const check = checks[next]!
      next += 1
      const problem = await problemOf(options.place, check)
      if (problem !== undefined) {
        problems.push({ table: check.table, sha256: check.object.sha256, problem })
      }
      bytes += check.object.bytes
      rows += check.object.rows
      if (next % progressObjects === 0) options.say?.(`Read ${next} of ${checks.length} objects.`)
    }
  }
  await Promise.all(Array.from({ length: readsAtOnce }, run))
  return {
    id: manifest.id,
    pointAt: manifest.pointAt,
    objects: checks.length,
    bytes,
    rows,
    problems,
    durationMs: Math.round(systemClock.monotonicMs() - startedMs),
  }
}

interface Check {
  readonly table: string
  readonly object: ObjectRef
  readonly format: 'copy' | 'native' | 'other'
}

/** Each object once, with the first table that names it. */
function listChecks({ postgres, clickhouse, sets }: Manifest): Check[] {
  const checks = new Map<string, Check>()
  const add = (table: string, format: Check['format'], objects: readonly ObjectRef[]) => {
    for (const object of objects) {
      if (!checks.has(object.sha256)) checks.set(object.sha256, { table, object, format })
    }
  }
  for (const { schema, name, objects } of postgres.tables) add(`${schema}.${name}`, 'copy', objects)
  for (const { name, parts } of clickhouse.tables) {
    for (const { objects } of parts) add(`clickhouse.${name}`, 'native', objects)
  }
  for (const { name, objects } of sets) add(name, 'other', objects)
  return [...checks.values()]
}

/** The same objects in every run, so that a sample can be compared with the one before. */
function isSampled({ sha256 }: ObjectRef, share: number): boolean {
  return Number.parseInt(sha256.slice(0, 8), 16) < share * 2 ** 32
}

async function problemOf(place: Place, { object, format }: Check): Promise<string | undefined> {
  const found = await readObject(place, object)
  if (found.kind === 'missing') return 'the object is missing'
  if (found.kind === 'corrupt') return `the object is damaged: ${found.reason}`
  const rows = countRows(found.bytes, format)
  // Rows in the Native format may be several blocks, of which the first is counted.
  const isRight = format === 'native' ? 0 < rows && rows <= object.rows : rows === object.rows
  if (isRight || format === 'other') return undefined
  return `the object has ${rows} rows instead of ${object.rows}`
}

function countRows(bytes: Buffer, format: Check['format']): number {
  if (format === 'native') return rowsOfFirstBlock(bytes)
  let rows = 0
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) rows += 1
  return rows
}

/** The rows of a table are those of its objects. */
function checkSums(manifest: Manifest): Problem[] {
  const tables = [
    ...manifest.postgres.tables.map(({ name, rows, objects }) => ({ name, rows, objects })),
    ...manifest.clickhouse.tables.map(({ name, rows, parts }) => {
      return { name, rows, objects: parts.flatMap(({ objects }) => objects) }
    }),
  ]
  return tables
    .filter(({ rows, objects }) => objects.reduce((sum, one) => sum + one.rows, 0) !== rows)
    .map(({ name }) => {
      return { table: name, sha256: '', problem: 'its rows are not the sum of its objects' }
    })
}
