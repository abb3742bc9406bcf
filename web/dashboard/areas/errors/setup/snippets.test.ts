import { expect, test } from 'vitest'
import { platforms, readDsn } from './snippets.ts'

const dsn = 'https://0123456789abcdef0123456789abcdef@errors.example.test/42'

test.each([
  [dsn, 'https://errors.example.test/api/42'],
  ['http://k@127.0.0.1:8030/1', 'http://127.0.0.1:8030/api/1'],
  ['https://k@example.test/errors/7', 'https://example.test/errors/api/7'],
])('the endpoint of %s', (text, endpoint) => {
  expect(readDsn(text).endpoint).toBe(endpoint)
})

test.each(platforms)('$name sends to this project', ({ id, snippets }) => {
  const code = snippets(readDsn(dsn))
    .map((snippet) => snippet.code)
    .join('\n')
  const isHttp = id === 'curl' || id === 'opentelemetry'
  expect(code).toContain(isHttp ? 'https://errors.example.test/api/42/' : dsn)
  expect(code).toContain('0123456789abcdef0123456789abcdef')
})
