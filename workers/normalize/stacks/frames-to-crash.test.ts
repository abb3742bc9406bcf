import { expect, test } from 'vitest'
import type { StoredData } from '../values/bound-value.ts'
import { Notes } from '../values/notes.ts'
import { framesToCrash } from './frames-to-crash.ts'
import { readStack } from './normalize-frames.ts'

const addresses = ['0x10', '0x2000', '0x30', '0x40']

function kept(registers: unknown, sent: readonly unknown[] = addresses): (string | undefined)[] {
  const frames = sent.map((instruction_addr) => ({ instruction_addr }))
  const stack = readStack({ frames, registers }, { platform: 'native', notes: new Notes() })
  return framesToCrash(stack).map((frame) => frame.instruction_addr)
}

// biome-ignore format: the columns are the point
test.each<[name: string, registers: unknown, keptCount: number]>([
  ['x86-64', { rip: '0x2000', rsp: '0x30' }, 2],
  ['x86', { eip: '0x2000' }, 2],
  ['ARM', { pc: '0x2000', lr: '0x10' }, 2],
  ['with leading zeros and capitals', { rip: '0X0000000000002000' }, 2],
  ['as a number', { rip: 0x2000 }, 2],
  ['the outermost frame', { rip: '0x10' }, 1],
  ['the nearest frame', { rip: '0x40' }, 4],
  ['of no frame', { rip: '0x50' }, 4],
  ['unreadable', { rip: '\u0000', pc: null }, 4],
  ['another register only', { rax: '0x2000' }, 4],
  ['a list', ['0x2000'], 4],
  ['a text', '0x2000', 4],
  ['an object instead of an address', { rip: { rip: '0x2000' } }, 4],
  ['absent', undefined, 4],
])('the frames up to the instruction pointer: %s', (_name, registers, keptCount) => {
  expect(kept(registers)).toEqual(addresses.slice(0, keptCount))
})

test('of equal addresses, the one nearest the crash counts', () => {
  expect(kept({ rip: '0x10' }, ['0x10', '0x20', '0x10', '0x30'])).toEqual(['0x10', '0x20', '0x10'])
})

test('no stack has no frames', () => {
  expect(framesToCrash(undefined)).toEqual([])
  const registers: StoredData = { rip: '0x10' }
  expect(framesToCrash({ frames: [], registers } as never)).toEqual([])
})
