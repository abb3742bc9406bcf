import { describe, expect, test } from 'vitest'
import { parseStat, readProcessUsage } from './process-usage.ts'

describe('process usage', () => {
  test('a command with parentheses and spaces does not shift the fields', () => {
    const text = '77 (a ) b (c) R 12 77 77 0 -1 4194304 100 0 0 0 250 50 7 3 20 0 11 0 999 1 2'
    expect(parseStat(text)).toEqual({ parentPid: 12, ticks: 310 })
  })

  test('a truncated line has no usage', () => {
    expect(parseStat('77 (node) R 12 77')).toBeUndefined()
  })

  test.runIf(process.platform === 'linux')('this process has used time and memory', () => {
    const usage = readProcessUsage(process.pid)
    expect(usage?.cpuMs).toBeGreaterThan(0)
    expect(usage?.residentBytes).toBeGreaterThan(10 * 1024 * 1024)
  })

  test('a process that does not exist has no usage', () => {
    expect(readProcessUsage(2 ** 30)).toBeUndefined()
  })
})
