import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { writeMmdb } from '../../test/fixtures/geoip/write-mmdb.ts'
import { PlaceFile } from './place-file.ts'
import { threadPlaces } from './thread-places.ts'

const folder = mkdtempSync(join(tmpdir(), 'place-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

const fileOf = (country: string) => writeMmdb({ '203.0.113': { country: { iso_code: country } } })
const path = join(folder, 'places.mmdb')
const nowMs = Date.UTC(2026, 10, 20)

/** Writes a file that was last changed so many seconds ago. */
function write(bytes: Uint8Array | string, secondsAgo: number, name = 'places.mmdb') {
  const written = join(folder, `${name}.new`)
  writeFileSync(written, bytes)
  const changedAt = new Date(nowMs - secondsAgo * 1000)
  utimesSync(written, changedAt, changedAt)
  renameSync(written, join(folder, name))
}

function open() {
  write(fileOf('AT'), 1000)
  const lines: string[] = []
  const say = (level: string) => (fields: { code: string; err?: Error }) =>
    void lines.push([level, fields.code, fields.err?.message].filter(Boolean).join(' '))
  const log = { info: say('info'), warn: say('warn') } as never
  const places = new PlaceFile(path, { clock: { nowMs: () => nowMs }, log })
  const country = () => threadPlaces(places.places)?.('203.0.113.7')?.country_code
  return { places, lines, country }
}

test('a file that is replaced is read again, once', () => {
  const { places, lines, country } = open()
  expect(country()).toBe('AT')
  places.refresh()
  expect(places.places.version).toBe(1)
  write(fileOf('NZ'), 10)
  expect(country()).toBe('AT')
  places.refresh()
  places.refresh()
  expect([country(), places.places.version]).toEqual(['NZ', 2])
  expect(lines).toEqual(['info geoip_read'])
})

test('a file that is still being written is left for the next time', () => {
  const { places, lines, country } = open()
  write(fileOf('NZ').subarray(0, 100), 0)
  places.refresh()
  expect([country(), lines]).toEqual(['AT', []])
  write(fileOf('NZ'), 3)
  places.refresh()
  expect([country(), lines]).toEqual(['NZ', ['info geoip_read']])
})

test.each([
  ['is missing', undefined, 'ENOENT'],
  ['is empty', '', 'it is empty'],
  ['is a text', 'not a database', "not in MaxMind's format"],
  ['is cut', fileOf('NZ').subarray(0, 60), 'it is damaged'],
])('a new file that %s leaves the old one in use, with one line', (_name, bytes, reason) => {
  const { places, lines, country } = open()
  if (bytes === undefined) rmSync(path)
  else write(bytes, 10)
  for (let time = 0; time < 3; time += 1) places.refresh()
  expect(country()).toBe('AT')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('warn geoip_unusable')
  expect(lines[0]).toContain(path)
  expect(lines[0]).toContain(reason)
  // The operator puts a good one in its place.
  write(fileOf('NZ'), 5)
  places.refresh()
  expect([country(), lines.at(-1)]).toEqual(['NZ', 'info geoip_read'])
})

test('a file of the same size and time that is another one is read', () => {
  const { places, country } = open()
  const { mtimeMs } = statSync(path)
  write(fileOf('NZ'), (nowMs - mtimeMs) / 1000)
  places.refresh()
  expect(country()).toBe('NZ')
})

test('a file that is missing at the start is an error that names it', () => {
  const absent = join(folder, 'absent.mmdb')
  const options = { clock: { nowMs: () => nowMs }, log: {} as never }
  expect(() => new PlaceFile(absent, options)).toThrow(
    `GEOIP_FILE ${absent} cannot be used: ENOENT`,
  )
})

test('without a file there is no place', () => {
  expect(threadPlaces(undefined)).toBeUndefined()
})
