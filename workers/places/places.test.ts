import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import type { EventId } from '#schemas/ids.ts'
import { writeMmdb } from '../../test/fixtures/geoip/write-mmdb.ts'
import { rulesOf } from '../digest/project-rules.ts'
import type { RawEvent } from '../normalize/draft.ts'
import { normalizeEvent } from '../normalize/normalize-event.ts'
import { placesIn } from './places-in-file.ts'
import { readPlaceFile } from './read-place-file.ts'

const file = writeMmdb({
  '203.0.113': {
    country: { iso_code: 'AT', names: { de: 'Vienne', en: 'Austria' } },
    subdivisions: [{ iso_code: '9', names: { en: 'Vienna State' } }],
    city: { names: { en: 'Vienna' } },
  },
  '198.51.100': { country: { iso_code: 'NZ' } },
  '192.0': { city: { names: { de: 'Wien' } }, subdivisions: 'none', country: [1] },
})
const vienna = { country_code: 'AT', region: 'Vienna State', city: 'Vienna' }
const folder = mkdtempSync(join(tmpdir(), 'places-'))
afterAll(() => rmSync(folder, { recursive: true }))

// biome-ignore format: one case a line
test.each([
  ['203.0.113.7',        vienna],
  ['::ffff:203.0.113.7', vienna],
  ['198.51.100.1',       { country_code: 'NZ' }],
  ['192.0.2.1',          undefined],
  ['10.0.0.1',           undefined],
  ['2001:db8::1',        undefined],
  ['not an address',     undefined],
  ['',                   undefined],
] as const)('%s', (address, place) => {
  const placeOf = placesIn(file)
  expect(placeOf(address)).toEqual(place)
  expect(placeOf(address)).toEqual(place)
})

// Written by mmdb_writer 0.2.7 for Python: our own writer could share an error with the reader.
// biome-ignore format: one case a line
test.each([
  ['203.0.113.7',        vienna],
  ['::ffff:203.0.113.7', vienna],
  ['2001:db8:1::7',      vienna],
  ['198.51.100.64',      { country_code: 'NZ' }],
  ['198.51.100.127',     { country_code: 'NZ' }],
  ['198.51.100.63',      undefined],
  ['198.51.100.128',     undefined],
  ['2001:db8:2::7',      undefined],
  ['10.0.0.1',           undefined],
] as const)('%s in a file of another writer', (address, place) => {
  const path = join(projectRoot, 'test/fixtures/geoip/made-up-places.mmdb.base64')
  const bytes = Buffer.from(readFileSync(path, 'utf8'), 'base64')
  expect(placesIn(bytes)(address)).toEqual(place)
})

test('a damaged file never costs an event', () => {
  for (let at = 0; at < file.length; at += 7) {
    const damaged = Buffer.from(file)
    damaged[at] = damaged[at]! ^ 0xff
    try {
      const placeOf = placesIn(damaged)
      for (const address of ['203.0.113.7', '198.51.100.1']) placeOf(address)
    } catch (error) {
      // It is refused when it is opened, at the start of the process.
      expect(error).toBeInstanceOf(Error)
    }
  }
})

describe('The file of the operator', () => {
  test('is shared by threads', () => {
    const path = join(folder, 'good.mmdb')
    writeFileSync(path, file)
    const bytes = readPlaceFile(path)
    expect(bytes.buffer).toBeInstanceOf(SharedArrayBuffer)
    expect(placesIn(bytes)('203.0.113.7')).toEqual(vienna)
  })

  test.each([
    ['missing.mmdb', undefined],
    ['empty.mmdb', ''],
    ['text.mmdb', 'this is no such file'],
    ['cut.mmdb', file.subarray(0, file.length - 40)],
  ] as const)('%s is refused by name', (name, content) => {
    const path = join(folder, name)
    if (content !== undefined) writeFileSync(path, content)
    expect(() => readPlaceFile(path)).toThrow(`GEOIP_FILE ${path} cannot be used: `)
  })
})

describe('The place of an event', () => {
  const placeOf = placesIn(file)

  function userOf(event: object, raw: Partial<RawEvent> = {}, settings: unknown = {}) {
    const { scrub } = rulesOf(settings)
    const normalized = normalizeEvent({
      payload: Buffer.from(JSON.stringify(event)),
      eventId: 'a'.repeat(32) as EventId,
      receivedAtMs: Date.UTC(2026, 10, 20),
      placeOf,
      scrub,
      ...raw,
    })
    if (normalized.kind !== 'event') throw new Error(normalized.kind)
    return JSON.parse(normalized.event.payload).user
  }

  const connection = { connection: '203.0.113.7', address: '203.0.113.7' }
  const noAddresses = { scrubbing: { ip_addresses: true } }

  // biome-ignore format: one case a line
  test.each([
    ['the address that the client sent  ', { user: { ip_address: '203.0.113.7' } }, {}, vienna],
    ['the address of a browser          ', { platform: 'javascript' }, connection, vienna],
    ['the address that it asks for      ', { user: { ip_address: '{{auto}}' } }, connection, vienna],
    ['that of the request to a server   ', { platform: 'php', request: { env: { REMOTE_ADDR: '203.0.113.7' } } }, {}, vienna],
    ['the address of a server is no user', { platform: 'python' }, connection, undefined],
    ['never infer                       ', { platform: 'javascript', sdk: { settings: { infer_ip: 'never' } } }, connection, undefined],
    ['no address                        ', { platform: 'javascript' }, {}, undefined],
    ['a place of the client stays       ', { user: { ip_address: '203.0.113.7', geo: { city: 'Graz' } } }, {}, { city: 'Graz' }],
    ['a place that is none              ', { user: { ip_address: '203.0.113.7', geo: null } }, {}, vienna],
  ] as const)('%s', (_name, event, raw, place) => {
    expect(userOf(event, raw)?.geo).toEqual(place)
  })

  test('stays where addresses are not stored', () => {
    const sent = { user: { id: '7', ip_address: '203.0.113.7' } }
    const user = userOf(sent, {}, noAddresses)
    expect(user.geo).toEqual(vienna)
    expect(JSON.stringify(user)).not.toContain('203.0.113')
    const { connection: own } = connection
    expect(userOf({ platform: 'javascript' }, { connection: own }, noAddresses)).toEqual({
      geo: vienna,
    })
  })

  test('is not kept when geo is a sensitive key', () => {
    expect(rulesOf({ scrubbing: { sensitive_keys: ['geo'] } }).keepsPlaces).toBe(false)
    expect(rulesOf(noAddresses).keepsPlaces).toBe(true)
  })
})
