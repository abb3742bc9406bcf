import { expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { SdkNames } from './sdk-names.ts'

const project = 1 as ProjectId
const hourMs = 3_600_000

test('versions of one SDK have one name, and an unknown client has none', () => {
  const names = new SdkNames()
  for (const version of ['10.0.0', '10.1.0-alpha+1', '']) {
    expect(names.nameFor(project, `sentry.php/${version}`, 0)).toBe('sentry.php')
  }
  expect(names.nameFor(project, '', 0)).toBe('')
})

test('of invented names twenty are kept for each project and hour, the rest is other', () => {
  const names = new SdkNames()
  const kept = (of: ProjectId, nowMs: number, prefix: string) => {
    const given = new Set<string>()
    for (let at = 0; at < 5_000; at += 1) given.add(names.nameFor(of, `${prefix}${at}/1`, nowMs))
    return given
  }
  expect(kept(project, 0, 'a').size).toBe(21)
  expect(kept(project, hourMs - 1, 'b')).toEqual(new Set(['other']))
  expect(names.nameFor(project, 'a0/2', 1)).toBe('a0')
  expect(names.nameFor(project, 'sentry.go/0.30', 1)).toBe('sentry.go')
  expect(kept(2 as ProjectId, 1, 'c')).toContain('c0')
  expect(kept(project, hourMs, 'd')).toContain('d19')
})

test('names of many projects and of endless clients stay right', () => {
  const names = new SdkNames()
  for (let at = 0; at < 12_000; at += 1) {
    expect(names.nameFor(at as ProjectId, `mine/${at}`, 0)).toBe('mine')
  }
  const long = 'x'.repeat(100_000)
  expect(names.nameFor(project, long, 0)).toBe('x'.repeat(64))
})
