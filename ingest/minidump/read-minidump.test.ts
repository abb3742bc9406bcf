import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import {
  linuxCrash,
  makeMinidump,
  windowsCrash,
} from '../../test/fixtures/minidump/make-minidump.ts'
import { crashReason } from './crash-reason.ts'
import { eventOfMinidump } from './event-of-minidump.ts'
import { readMinidump } from './read-minidump.ts'

const eventId = '5f0c1d2e3a4b4c5d8e9f001122334455' as EventId

test('the facts of a Windows dump', () => {
  const facts = readMinidump(makeMinidump(windowsCrash))
  expect(facts).toMatchObject({
    os: 'windows',
    osVersion: '10.0.19045',
    arch: 'x86_64',
    crash: { threadId: 4711, code: 0xc0000005, address: windowsCrash.address },
    timestampSeconds: 1_795_215_589,
  })
  expect(facts?.modules[0]).toEqual({
    baseAddress: 0x7ff6_0000_0000n,
    size: 0x10000,
    codeFile: 'C:\\app\\shop.exe',
    debugId: '33221100-5544-7766-8899-aabbccddeeff-2',
    codeId: '5f5e100010000',
    debugFile: 'shop.pdb',
  })
})

test('the modules of a Linux dump are named by their build ids', () => {
  const facts = readMinidump(makeMinidump(linuxCrash))
  expect(facts?.modules[0]).toMatchObject({
    codeFile: '/opt/shop/bin/shop',
    codeId: '00112233445566778899aabbccddeeff',
    debugId: '33221100-5544-7766-8899-aabbccddeeff',
  })
  expect(facts && crashReason(facts)).toBe('SIGSEGV')
})

test('no module makes a search through the whole dump', () => {
  const modules = [{ base: 1n, size: 1, name: 'a', pdb: 'x'.repeat(5_000) }]
  const dump = makeMinidump({ ...windowsCrash, modules })
  const search = vi.spyOn(dump, 'indexOf')
  expect(readMinidump(dump)?.modules[0]?.debugFile).toBe('x'.repeat(1_024))
  expect(search).not.toHaveBeenCalled()
})

test('the event says why and where, and that it is not symbolicated', () => {
  const dump = makeMinidump(windowsCrash)
  const event = JSON.parse(
    eventOfMinidump({ eventId, sent: { release: 'shop@1', level: 'error' }, dump }).toString(),
  )
  expect(event).toMatchObject({
    event_id: eventId,
    platform: 'native',
    level: 'error',
    release: 'shop@1',
    exception: {
      values: [
        {
          type: 'EXCEPTION_ACCESS_VIOLATION',
          value: 'Minidump, not symbolicated: crashed at 0x7ff600001234',
          mechanism: { type: 'minidump', handled: false },
          stacktrace: {
            frames: [{ instruction_addr: '0x7ff600001234', package: 'C:\\app\\shop.exe' }],
          },
        },
      ],
    },
    contexts: { os: { name: 'Windows', version: '10.0.19045' }, device: { arch: 'x86_64' } },
  })
  expect(event.debug_meta.images).toHaveLength(2)
})

test('a dump that cannot be read is an event nevertheless', () => {
  const sent = {}
  const unreadable = JSON.parse(
    eventOfMinidump({ eventId, sent, dump: Buffer.from('no dump') }).toString(),
  )
  expect(unreadable.exception.values[0].value).toBe('Crash with an unreadable minidump')
  const missing = JSON.parse(eventOfMinidump({ eventId, sent, dump: undefined }).toString())
  expect(missing.exception.values[0].value).toBe('Crash report without a minidump')
})

test('what the client sent is left out when the event would be too large', () => {
  const sent = { extra: { large: 'x'.repeat(2 * 1024 * 1024) } }
  const event = eventOfMinidump({ eventId, sent, dump: makeMinidump(linuxCrash) })
  expect(event.length).toBeLessThan(10_000)
  expect(JSON.parse(event.toString()).exception.values[0].type).toBe('SIGSEGV')
})

test('offsets and counts that lie do no harm, and the work is bounded', () => {
  const dump = makeMinidump(windowsCrash)
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(dump.length - 1), fc.nat(255)), { maxLength: 30 }),
      fc.nat(dump.length),
      (changes, length) => {
        const bytes = Buffer.from(dump.subarray(0, length))
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
        const event = eventOfMinidump({ eventId, sent: {}, dump: bytes })
        expect(JSON.parse(event.toString()).event_id).toBe(eventId)
      },
    ),
    { seed: 20261123, numRuns: 3_000 },
  )
  // All counts at their maximum.
  const hostile = Buffer.alloc(1024 * 1024, 0xff)
  hostile.write('MDMP', 0, 'latin1')
  hostile.writeUInt32LE(32, 12)
  expect(readMinidump(hostile)?.modules).toEqual([])
})
