import { expect, test } from 'vitest'
import { defaultProjectSettings } from '#schemas/project-settings.ts'
import { workerAsker } from './ask-workers.ts'

const trial = {
  request: {
    task: 'try_settings',
    settings: defaultProjectSettings,
    event_id: 'a'.repeat(32),
    received_at_ms: 1,
  },
  payload: Buffer.from('{}'),
} as const

// biome-ignore format: the columns are the point
test.each([
  ['busy',         'busy with other trials'],
  ['too_slow',     'smaller event or fewer patterns'],
  ['unknown_task', 'another version'],
  ['failed',       'log says why'],
])('a worker that refuses with %s: 503 with what to do', async (why, text) => {
  const ask = workerAsker({ request: async () => Buffer.from(JSON.stringify({ kind: 'refused', why })) })
  await expect(ask(trial)).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining(text) })
})

test('without NATS_URL it says which setting is missing', async () => {
  await expect(workerAsker(undefined)(trial)).rejects.toThrow('set NATS_URL')
})
