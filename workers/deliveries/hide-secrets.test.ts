import { expect, test } from 'vitest'
import { hideSecrets } from './hide-secrets.ts'

type Target = Parameters<typeof hideSecrets>[1]

// biome-ignore format: the columns are the point
test.each<[string, Target, string, string]>([
  ['a path', { type: 'slack', url: 'https://chat.test/services/T01ABCDEF/B01ABCDEF/abcdefABCDEF012345678901' },
    'Cannot POST /services/T01ABCDEF/B01ABCDEF/abcdefABCDEF012345678901', 'Cannot POST /services/…/…/…'],
  ['a signature', { type: 'teams', url: 'https://flow.test/triggers/manual/paths/invoke?sp=%2Ftriggers&sig=a%2Bb0123456789' },
    'no /triggers/manual/paths/invoke?sig=a%2Bb0123456789 (a+b0123456789)', 'no /triggers/manual/paths/invoke?sig=… (…)'],
  ['a token of a bot', { type: 'telegram', bot_token: '123:456', chat_id: '1' }, '/bot123:456/x 123%3A456 456', '/bot…/x … …'],
  ['a token', { type: 'ntfy', url: 'https://ntfy.test/topic', token: 'tk_1' }, 'Bearer tk_1 topic', 'Bearer … topic'],
  ['a routing key', { type: 'pagerduty', routing_key: 'r0' }, '{"routing_key":"r0"}', '{"routing_key":"…"}'],
  ['an API key', { type: 'opsgenie', api_key: 'k-1', region: 'us' }, 'GenieKey k-1', 'GenieKey …'],
  ['nothing of a webhook', { type: 'webhook', url: 'https://hook.test/0123456789abcdef' }, '/0123456789abcdef', '/0123456789abcdef'],
])('%s', (_name, target, text, shown) => {
  expect(hideSecrets(text, target)).toBe(shown)
})
