/** Targets of alert rules: the entries of `then` (http-api: Alerts). */
import { z } from 'zod'

const urlCharactersMax = 2_000
export const recipientsPerTargetMax = 20
/** How long the secret before the last one signs along. */
export const previousSecretSeconds = 86_400

const url = z.url().max(urlCharactersMax)
/** Visible ASCII, because it becomes part of a URL or a header. */
const secretText = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'must have only visible ASCII characters')
const botToken = secretText.regex(
  /^\d{1,20}:[A-Za-z0-9_-]+$/,
  'must be a token of a bot, such as 123456:ABC-DEF',
)
const chat_id = z
  .string()
  .regex(/^(?:-?\d{1,20}|@[A-Za-z0-9_]{1,100})$/, 'must be a number such as -1001234, or @channel')
const to = z
  .array(z.string().trim().min(1).max(320))
  .min(1)
  .max(recipientsPerTargetMax)
  .describe('`owners`, `assignee`, `team:<slug>`, the id of a person, or an email address.')
const ntfyUrl = url.describe('With the topic: https://ntfy.sh/my-topic')
const region = z.enum(['us', 'eu'])

export const AlertTarget = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('email'), to }),
  z.strictObject({ type: z.literal('webhook'), url }),
  z.strictObject({ type: z.literal('slack'), url }),
  z.strictObject({ type: z.literal('discord'), url }),
  z.strictObject({ type: z.literal('teams'), url }),
  z.strictObject({ type: z.literal('telegram'), bot_token: botToken, chat_id }),
  z.strictObject({ type: z.literal('ntfy'), url: ntfyUrl, token: secretText.optional() }),
  z.strictObject({ type: z.literal('pagerduty'), routing_key: secretText }),
  z.strictObject({
    type: z.literal('opsgenie'),
    api_key: secretText,
    region: region.default('us'),
  }),
])
export type AlertTarget = z.infer<typeof AlertTarget>
export type AlertTargetType = AlertTarget['type']

const time = z.string().nullable()
/** The state of a target. */
const targetState = {
  enabled: z.boolean().describe('false: nothing is sent there. Set it to true to send again.'),
  disabled_at: time,
  disabled_reason: z.string().nullable(),
  paused_until: time.describe('After several failures nothing is sent before then.'),
} as const

const id = z.guid()
const shownUrl = z.string().describe('Without the path, which is a secret.')
const shownHead = { id, ...targetState } as const

/** A target as answers show it: without secrets, except a new one of a webhook. */
export const AlertTargetItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('email'), to: z.array(z.string()), ...shownHead }),
  z.object({
    type: z.literal('webhook'),
    url: z.string(),
    secret: z
      .string()
      .optional()
      .describe('`whsec_…`, only in the answer of the request that added the target.'),
    ...shownHead,
  }),
  z.object({ type: z.literal('slack'), url: shownUrl, ...shownHead }),
  z.object({ type: z.literal('discord'), url: shownUrl, ...shownHead }),
  z.object({ type: z.literal('teams'), url: shownUrl, ...shownHead }),
  z.object({ type: z.literal('telegram'), chat_id: z.string(), ...shownHead }),
  z.object({ type: z.literal('ntfy'), url: z.string(), has_token: z.boolean(), ...shownHead }),
  z.object({ type: z.literal('pagerduty'), ...shownHead }),
  z.object({ type: z.literal('opsgenie'), region, ...shownHead }),
])
export type AlertTargetItem = z.infer<typeof AlertTargetItem>

const shownText = z.string().max(2_000).nullable().optional().describe('Ignored.')
/** What a change of a target may hold beside its settings: its id, and its state as shown. */
const changedHead = {
  id: id
    .optional()
    .describe('Of a target of the rule: it keeps its secrets. Without it: a new target.'),
  enabled: z.boolean().optional(),
  disabled_at: shownText,
  disabled_reason: shownText,
  paused_until: shownText,
} as const
const urlText = z.string().max(urlCharactersMax).optional()

/** Settings that are left out, and URLs as they are shown, keep their value. */
export const AlertTargetChange = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('email'), to: to.optional(), ...changedHead }),
  z.strictObject({ type: z.literal('webhook'), url: urlText, ...changedHead }),
  z.strictObject({ type: z.literal('slack'), url: urlText, ...changedHead }),
  z.strictObject({ type: z.literal('discord'), url: urlText, ...changedHead }),
  z.strictObject({ type: z.literal('teams'), url: urlText, ...changedHead }),
  z.strictObject({
    type: z.literal('telegram'),
    bot_token: botToken.optional(),
    chat_id: chat_id.optional(),
    ...changedHead,
  }),
  z.strictObject({
    type: z.literal('ntfy'),
    url: urlText,
    token: secretText.nullable().optional().describe('null: none.'),
    has_token: z.boolean().optional().describe('Ignored.'),
    ...changedHead,
  }),
  z.strictObject({
    type: z.literal('pagerduty'),
    routing_key: secretText.optional(),
    ...changedHead,
  }),
  z.strictObject({
    type: z.literal('opsgenie'),
    api_key: secretText.optional(),
    region: region.optional(),
    ...changedHead,
  }),
])
export type AlertTargetChange = z.infer<typeof AlertTargetChange>
