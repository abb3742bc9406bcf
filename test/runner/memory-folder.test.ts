import { expect, test } from 'vitest'
import { isSuitable, type MemoryState } from './memory-folder.ts'

const GiB = 1024 ** 3
const mounts = 'tmpfs /run tmpfs rw,noexec 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0\n'
const memory = 'MemTotal:       24105000 kB\nMemFree:        1000 kB\nMemAvailable:   16000000 kB\n'
const enough: MemoryState = { mounts, memory, bytesFree: 12 * GiB }

test('takes memory of which there is enough', () => {
  expect(isSuitable(enough)).toBe(true)
})

test.each<[string, Partial<MemoryState>]>([
  ['the small one of a container', { bytesFree: 64 * 1024 ** 2 }],
  ['one that programs may not run from', { mounts: mounts.replace('nosuid', 'noexec') }],
  ['one that is only read', { mounts: mounts.replace('shm tmpfs rw', 'shm tmpfs ro') }],
  ['another file system', { mounts: mounts.replace('shm tmpfs', 'shm ext4') }],
  ['none', { mounts: 'tmpfs /run tmpfs rw 0 0' }],
  ['a machine whose memory is in use', { memory: memory.replace('16000000', '4000000') }],
  ['a machine of another kind', { memory: '' }],
])('does not take %s', (_, state) => {
  expect(isSuitable({ ...enough, ...state })).toBe(false)
})
