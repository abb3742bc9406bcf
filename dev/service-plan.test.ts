import { expect, test } from 'vitest'
import { allowsUnverifiedFrom, isMailCaptured } from './service-plan.ts'
import { settle } from './stack-settings.ts'

test('emails are captured while SMTP_URL is not set', async () => {
  expect(isMailCaptured(await settle({}, 'free'))).toBe(true)
  const given = await settle({ SMTP_URL: 'smtp://relay.example.test:587' }, 'free')
  expect(isMailCaptured(given)).toBe(false)
})

// biome-ignore format: the columns are the point
test.each([
  ['emails are captured               ', {},                                                                               true],
  ['the variable says no             ', { MAIL_ALLOW_UNVERIFIED_FROM: 'false' },                                          false],
  ['emails go to a real server       ', { SMTP_URL: 'smtp://127.0.0.1:25' },                                              false],
  ['the variable overrides the server ', { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_ALLOW_UNVERIFIED_FROM: 'true' },           true],
] as const)('the command line follows the rule of the services: %s', async (_name, env, want) => {
  expect(allowsUnverifiedFrom(await settle(env, 'free'))).toBe(want)
})
