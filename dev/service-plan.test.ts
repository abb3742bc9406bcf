import { expect, test } from 'vitest'
import { isMailCaptured } from './service-plan.ts'
import { settle } from './stack-settings.ts'

test('mail is captured while the SMTP server is the embedded one', async () => {
  expect(isMailCaptured(await settle({}, 'free'))).toBe(true)
  const given = await settle({ SMTP_URL: 'smtp://relay.example.test:587' }, 'free')
  expect(isMailCaptured(given)).toBe(false)
})
