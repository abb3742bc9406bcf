import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { k6Envelopes, k6RunId } from './k6-envelopes.ts'

describe("k6's share of the workload", () => {
  test('the file matches the workload (to update it: node dist/bench/k6-runs/write-k6-envelopes.js)', () => {
    const file = readFileSync(join(projectRoot, 'bench/k6/envelopes.json'), 'utf8')
    expect(JSON.parse(file)).toEqual(k6Envelopes())
  })

  test('every id is a placeholder, in header and payload', () => {
    const { envelopes } = k6Envelopes()
    expect(JSON.stringify(envelopes)).not.toContain(k6RunId)
    for (const text of envelopes['1k']) expect(text.match(/\{\{0\}\}/g)).toHaveLength(2)
    for (const text of envelopes.batch) {
      const marks = text.match(/\{\{\d+\}\}/g) ?? []
      expect(marks).toEqual(Array.from({ length: 50 }, (_, index) => `{{${index}}}`))
    }
  })

  test('the item length is correct after ids replace the placeholders', () => {
    const [text = ''] = k6Envelopes().envelopes.batch
    const [, item = '', payload = ''] = text.split('\n')
    const { length } = JSON.parse(item) as { length: number }
    expect(payload.replaceAll(/\{\{\d+\}\}/g, 'a'.repeat(32))).toHaveLength(length)
  })
})
