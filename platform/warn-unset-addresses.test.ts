import { expect, test, vi } from 'vitest'
import type { Logger } from './logger.ts'
import { warnUnsetAddresses } from './warn-unset-addresses.ts'

test('only variables that are not set are logged, with what they affect', () => {
  const warn = vi.fn()
  const env = { API_URL: 'http://127.0.0.1:8031', INGEST_URL: 'http://127.0.0.1:8030' }
  const log = { warn } as unknown as Logger
  warnUnsetAddresses(env, log, env)
  expect(warn).not.toHaveBeenCalled()
  warnUnsetAddresses(env, log, { API_URL: '', INGEST_URL: env.INGEST_URL })
  expect(warn.mock.calls).toEqual([
    [
      { code: 'address_unset', variable: 'API_URL', url: env.API_URL },
      expect.stringContaining('API_URL is not set. Links'),
    ],
  ])
})
