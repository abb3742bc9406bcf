/**
 * What is removed and what is kept with the settings of a new project, in both directions: a secret
 * that stays is a leak, and a value that only looks like one is missed in every search.
 */
import { describe, expect, test } from 'vitest'
import { ProjectSettings } from '#schemas/project-settings.ts'
import { scrubEvent } from './scrub-event.ts'
import { Scrubber } from './scrubber.ts'

const scrubber = new Scrubber(ProjectSettings.parse({}).scrubbing)
const gone = '[Filtered]'

function scrub<Value extends object>(event: Value): Value {
  const copy = structuredClone(event)
  scrubEvent(copy as Record<string, unknown>, scrubber, { add: () => undefined })
  return copy
}

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'

// biome-ignore format: one line for each kind of name
const secretNames = [
  'password', 'Password', 'PASSWORD', 'passwd', 'pwd', 'user_password', 'userPassword', 'dbPassword',
  'password_confirmation', 'passwordHash', 'new-password', 'pass', 'db_pass', 'passphrase', 'secret',
  'client_secret', 'clientSecret', 'AWS_SECRET_ACCESS_KEY', 'aws_access_key_id', 'secretKey',
  'SECRET_KEY_BASE', 'api_key', 'apiKey', 'apikey', 'X-Api-Key', 'STRIPE_API_KEY', 'private_key',
  'token', 'token1', 'access_token', 'accessToken', 'refresh_token', 'id_token', 'csrf_token',
  'csrfmiddlewaretoken', 'X-CSRF-Token', 'xsrf', 'authenticity_token', 'api_key_token', 'bearer',
  'Authorization', 'Proxy-Authorization', 'auth', 'basic_auth', 'authentication', 'credentials',
  'cookie', 'Set-Cookie', 'connect.sid', 'PHPSESSID', 'JSESSIONID', 'session_id', 'sessionId',
  'session_key', 'jwt', 'otp', 'pin', 'pin_code', 'cvv', 'cvc', 'ssn', 'social_security_number',
  'credit_card', 'cardNumber', 'iban', 'connection_string', 'ConnectionString', 'AccountKey',
  'SharedAccessKey', 'encryption_key', 'signing_key', 'X-Amz-Signature', 'X-Amz-Security-Token',
  'X-Amz-Credential',
] as const

/** A name with a value that belongs below it and is kept. */
// biome-ignore format: the columns are the point
const keptMembers: readonly (readonly [name: string, value: unknown])[] = [
  ['PublicKeyToken', 'b77a5c561934e089'],
  ['public_key_token', '31bf3856ad364e35'],
  ['publicKey', 'MIIBIjANBg'],
  ['csrf_failures', 2],
  ['csrf_failures', '2'],
  ['token_count', 812],
  ['tokenCount', '812'],
  ['max_tokens', 4096],
  ['max_tokens', '4096'],
  ['total_tokens', 412],
  ['prompt_tokens', '17'],
  ['completion_tokens', '17'],
  ['tokens', 300],
  ['tokens', '300'],
  ['tokens_used', '12'],
  ['tokens_per_second', 41.5],
  ['eos_token_id', true],
  ['token_ids', [1, 2, 3]],
  ['author', 'Ada'],
  ['authors', ['Ada']],
  ['co_author', 'Ada'],
  ['authority', 'x'],
  ['authenticated', 'yes'],
  ['is_authenticated', 'maybe'],
  ['authenticated_user', 'ada'],
  ['auth_method', 'saml'],
  ['auth_provider', 'github'],
  ['auth', 'basic'],
  ['authentication', 'OAuth2'],
  ['two_factor_auth', 'sms'],
  ['authorization_status', 'denied'],
  ['authorization_endpoint', 'https://id.example/authorize'],
  ['token_url', 'https://id.example/token'],
  ['token_uri', 'https://id.example/token'],
  ['password_reset_sent', true],
  ['password_reset_sent', 'true'],
  ['password_reset_sent', '3 times'],
  ['password', true],
  ['password', null],
  ['password', 'null'],
  ['password', ''],
  ['has_password', 'maybe'],
  ['is_password_set', '1'],
  ['password_length', 8],
  ['password_strength', 'weak'],
  ['password_expires_at', '2026-01-01'],
  ['password_policy', 'strict'],
  ['max_password_length', 72],
  ['AUTH_PASSWORD_VALIDATORS', 'x.Y'],
  ['PASSWORD_HASHERS', ['a.B']],
  ['PASSWORD_RESET_TIMEOUT', 259200],
  ['passwordless', 'link'],
  ['passenger', 'Ada'],
  ['passed', 12],
  ['passive', 'x'],
  ['bypass', 'cache'],
  ['compass', 'north'],
  ['boarding_pass', 'A12'],
  ['render_pass', 'depth'],
  ['map_pin', 'blue'],
  ['gpio_pin', 17],
  ['pinned', 'x'],
  ['spin', 'left'],
  ['session_count', 20],
  ['sessions', 20],
  ['session_duration', '20 s'],
  ['session_started', '2026-01-01'],
  ['SESSION_COOKIE_AGE', 1209600],
  ['SESSION_COOKIE_NAME', 'sid'],
  ['CSRF_COOKIE_SECURE', 'x'],
  ['csrf_exempt', 'x'],
  ['cookies_enabled', 'x'],
  ['cookie_consent', 'all'],
  ['cookieDomain', '.example.com'],
  ['cookie_count', 7],
  ['secretary', 'Ada'],
  ['secret_name', 'prod/db'],
  ['secret_arn', 'arn:aws:x'],
  ['token_type', 'Bearer'],
  ['token_expires_in', 3600],
  ['token_expiry', '3600'],
  ['token_ttl', '3600'],
  ['token_issuer', 'https://id.example'],
  ['token_version', '3'],
  ['token_path', '/run/token'],
  ['token_symbol', 'ETH'],
  ['token_balance', '12.5'],
  ['tokenizer', 'bpe'],
  ['tokenized', 'x'],
  ['next_page_token', 'page2x'],
  ['nextPageToken', 'page2x'],
  ['continuation_token', 'x'],
  ['cancellationToken', 'System.Threading.CancellationToken'],
  ['unexpected_token', '}'],
  ['token_bucket', 'api'],
  ['AccountSid', 'AC1'],
  ['message_sid', 'SM1'],
  ['credentials', 'same-origin'],
  ['credentials', 'include'],
  ['credential_type', 'passkey'],
  ['primary_key', 'id'],
  ['idempotency_key', 'x'],
  ['keyboard', 'de'],
  ['monkey', 'x'],
  ['card', 'visa'],
  ['card_last4', '4242'],
  ['card_number_last4', '4242'],
  ['order_number', '1234567890123'],
  ['at_ms', 1763715600000],
  ['jwt_algorithm', 'RS256'],
  ['JWTDecodeError', 'Not enough segments'],
  ['TokenExpiredException', 'at 12:01'],
]

// biome-ignore format: the columns are the point
const removedTexts: readonly (readonly [text: string, want: string])[] = [
  ['password=hunter2', `password=${gone}`],
  ['user=ada&password=hunter2&next=/x', `user=ada&password=${gone}&next=/x`],
  ['GET /cb?code=1&access_token=abc#top', `GET /cb?code=1&access_token=${gone}`],
  ['next=%2F%3Ftoken%3Dabc&b=2', `next=%2F%3Ftoken%3D${gone}&b=2`],
  ['https://bucket.test/f?X-Amz-Signature=ab12&x=1', `https://bucket.test/f?X-Amz-Signature=${gone}&x=1`],
  ['{"access_token":"abc","expires_in":3600}', `{"access_token":"${gone}","expires_in":3600}`],
  ["{'api_key': 'abc', 'n': 1}", `{'api_key': '${gone}', 'n': 1}`],
  ['User(name=ada, password=hunter2)', `User(name=ada, password=${gone})`],
  ['Password: hunter2', `Password: ${gone}`],
  ['set secret = s3cr3t here', `set secret = ${gone} here`],
  ['Cookie: sid=abc123def456ghi7', `Cookie: ${gone}`],
  ['Authorization: Bearer abc', `Authorization: ${gone}`],
  ['Authorization: Basic dXNlcjpwYXNz', `Authorization: ${gone}`],
  ['called with Bearer abcdef', `called with Bearer ${gone}`],
  ['called with bearer abcdefghijk and failed', `called with bearer ${gone} and failed`],
  ['called with BEARER a.b.c.d', `called with BEARER ${gone}`],
  ['called with Bearer  abc123', `called with Bearer  ${gone}`],
  ['called with Bearer "abc123"', `called with Bearer "${gone}"`],
  ['header=Bearer%20abc123', `header=Bearer%20${gone}`],
  ['curl -H "X: Bearer abc-def"', `curl -H "X: Bearer ${gone}"`],
  [`Bearer ${jwt}`, `Bearer ${gone}`],
  [`jwt malformed: ${jwt}`, `jwt malformed: ${gone}`],
  [`https://x.test/#id=${jwt}`, `https://x.test/#id=${gone}`],
  ['sent Basic dXNlcjpwYXNz', `sent Basic ${gone}`],
  ['postgres://app:pw@db:5432/app', `postgres://app:${gone}@db:5432/app`],
  ['mongodb+srv://app:p%40w@c0.test/x?w=1', `mongodb+srv://app:${gone}@c0.test/x?w=1`],
  ['redis://:pw@cache:6379', `redis://:${gone}@cache:6379`],
  ['amqp://guest:guest@mq', `amqp://guest:${gone}@mq`],
  ['jdbc:mysql://db/x?user=a&password=b', `jdbc:mysql://db/x?user=a&password=${gone}`],
  ['Server=db;User Id=sa;Password=p w!;Encrypt=true', `Server=db;User Id=sa;Password=${gone};Encrypt=true`],
  ['Server=db;Pwd=pw;', `Server=db;Pwd=${gone};`],
  ['host=db user=a password=b dbname=c', `host=db user=a password=${gone} dbname=c`],
  ['AccountName=x;AccountKey=abc+/==;EndpointSuffix=y', `AccountName=x;AccountKey=${gone};EndpointSuffix=y`],
  ['Endpoint=sb://x;SharedAccessKeyName=Root;SharedAccessKey=abc=', `Endpoint=sb://x;SharedAccessKeyName=Root;SharedAccessKey=${gone}`],
  ['card 4111111111111111 declined', `card ${gone} declined`],
  ['card 4111 1111 1111 1111 declined', `card ${gone} declined`],
  ['card 5500-0000-0000-0004 declined', `card ${gone} declined`],
  ['amex 378282246310005', `amex ${gone}`],
  ['-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----', gone],
  ['-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\nx', `${gone}\nx`],
  ['key AKIAIOSFODNN7EXAMPLE', `key ${gone}`],
  [`push with ghp_${'a1'.repeat(18)}`, `push with ${gone}`],
  ['sk_live_abcdefgh1234 refused', `${gone} refused`],
  ['xoxb-1234567890-abc', gone],
  ["array('password' => 'hunter2', 'id' => 4)", `array('password' => '${gone}', 'id' => 4)`],
  ['{"password"=>"hunter2", "id"=>4}', `{"password"=>"${gone}", "id"=>4}`],
  ['{:password=>"hunter2", :id=>4}', `{:password=>"${gone}", :id=>4}`],
  ['<user>ada</user><password>hunter2</password>', `<user>ada</user><password>${gone}</password>`],
  ['<soap:Password Type="#PasswordText">hunter2</soap:Password>', `<soap:Password Type="#PasswordText">${gone}</soap:Password>`],
  ['deploy --token abc123 --env live', `deploy --token ${gone} --env live`],
  ['mysql --password hunter -h db', `mysql --password ${gone} -h db`],
  ['run --api-key "a b" --verbose', `run --api-key "${gone}" --verbose`],
  [`maps AIza${'Sy1_-'.repeat(7)} fails`, `maps ${gone} fails`],
  ['Authorization: Digest username="ada", response="abc"\r\nAccept: */*', `Authorization: ${gone}\r\nAccept: */*`],
]

// biome-ignore format: one line for each text
const keptTexts = [
  'Could not load file or assembly Foo, Version=1.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089',
  'Foo, PublicKeyToken=null',
  '{"PublicKeyToken":"b77a5c561934e089"}',
  'csrf_failures: 2',
  'csrf_failures=2 attempts=3',
  'token_count=812 max_tokens=4096',
  '{"prompt_tokens":17,"completion_tokens":5,"total_tokens":22}',
  'author=ada&authenticated=1',
  'password_reset_sent=true',
  'password=true&token=null',
  'Password: required',
  'password: must be longer',
  'Invalid token: expected a string',
  'Unexpected token: punc (,)',
  'SyntaxError: Unexpected token < in JSON at position 0',
  'the bearer token is missing',
  'Bearer authentication required',
  'expected Bearer scheme',
  'WWW-Authenticate: Bearer realm="api", error="invalid_token"',
  'Bearer <token>',
  'Basic authentication is off',
  'basic usage of the api',
  'Basic realm="admin"',
  'sessions: 20, session_count=4',
  'https://user@host.test:8080/a?b=c',
  'http://host.test:80/a@b:c',
  'Server=db;Database=app;Encrypt=true',
  'card 4111111111111112 declined',
  'order 1234567890123456',
  'at 1763715600000',
  'trace 41111111111111114111111111111111',
  '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  'eyJ is how a token begins',
  'token == undefined, secret => 1',
  'KeyError: \'author\'',
  'next_page_token=page2x&limit=10',
  'fetch failed (credentials: same-origin)',
  'JWTDecodeError: 0x80 is no segment',
  'CSRF_COOKIE_SECURE=1 SESSION_COOKIE_AGE=1209600',
  'grant_type=password&scope=read',
  'risk-basic 12',
  'items.map(password => "x")',
  'secret => \'x\'',
  "'password' => null, 'token' => 4",
  "'author' => 'ada'",
  'expected <token> and </token>',
  '<token></token><password> </password>',
  '<author>ada</author><password-policy>strict</password-policy>',
  'run it with --token to log in, or --password for a prompt',
  'the flag --secret is missing',
  '--author ada --token-type x --no-password 1',
  '-- token abc123',
  `AIza${'x'.repeat(34)} AIza${'x'.repeat(36)}`,
  'a--token',
]

// biome-ignore format: the columns are the point
const events: readonly (readonly [name: string, event: object, want: object])[] = [
  ['below a list', { extra: { a: [{ b: [{ password: 'x' }] }] } }, { extra: { a: [{ b: [{ password: gone }] }] } }],
  ['a list of tokens', { extra: { tokens: ['a', 'b'] } }, { extra: { tokens: [gone, gone] } }],
  ['an object below a secret', { extra: { credentials: { user: 'a', on: true } } }, { extra: { credentials: { user: gone, on: true } } }],
  ['a number that is secret', { extra: { pin: 1234, otp: 123456 } }, { extra: { pin: gone, otp: gone } }],
  ['a card as a number', { extra: { n: 4111111111111111, m: 4111111111111112 } }, { extra: { n: gone, m: 4111111111111112 } }],
  ['counts in tags', { tags: { tokens: '12', token: '12', csrf_failures: '2' } }, { tags: { tokens: '12', token: gone, csrf_failures: '2' } }],
  ['tags as pairs', { tags: [['password_reset_sent', 'true'], ['api_key', 'x']] }, { tags: [['password_reset_sent', 'true'], ['api_key', gone]] }],
  ['a command line', { extra: { argv: ['run', '--password', 'hunter2', '--author', 'ada', '--token=abc'] } }, { extra: { argv: ['run', '--password', gone, '--author', 'ada', `--token=${gone}`] } }],
  ['cookies', { request: { cookies: 'sid=1; theme=dark' } }, { request: { cookies: `sid=${gone}; theme=${gone}` } }],
  ['cookies as an object', { request: { cookies: { theme: 'dark' } } }, { request: { cookies: { theme: gone } } }],
  ['a query as an object', { request: { query_string: { token: 'a', author: 'b' } } }, { request: { query_string: { token: gone, author: 'b' } } }],
  ['a query as pairs', { request: { query_string: [['max_tokens', '5'], ['token', '5']] } }, { request: { query_string: [['max_tokens', '5'], ['token', gone]] } }],
  ['headers', { request: { headers: { 'X-Api-Key': 'a', Accept: 'b', 'X-Author': 'c' } } }, { request: { headers: { 'X-Api-Key': gone, Accept: 'b', 'X-Author': 'c' } } }],
  ['a challenge of a server', { request: { headers: { 'WWW-Authenticate': 'Bearer realm="x"' } } }, { request: { headers: { 'WWW-Authenticate': 'Bearer realm="x"' } } }],
  ['a body', { request: { data: { password: 'x', remember: 'on' } } }, { request: { data: { password: gone, remember: 'on' } } }],
  ['an environment', { request: { env: { DB_PASSWORD: 'x', SERVER_NAME: 'y' } } }, { request: { env: { DB_PASSWORD: gone, SERVER_NAME: 'y' } } }],
  ['variables of a frame', { stacktrace: { frames: [{ function: 'f', vars: { token: "'x'", author: "'y'" } }] } }, { stacktrace: { frames: [{ function: 'f', vars: { token: gone, author: "'y'" } }] } }],
]

describe('a value is removed below the name', () => {
  test.each(secretNames)('%s', (name) => {
    expect(scrub({ extra: { [name]: 'x1' } })).toEqual({ extra: { [name]: gone } })
    expect(scrub({ message: `${name}=x1` })).toEqual({ message: `${name}=${gone}` })
  })
})

describe('a value is kept below the name', () => {
  test.each(keptMembers)('%s: %j', (name, value) => {
    expect(scrub({ extra: { [name]: value } })).toEqual({ extra: { [name]: value } })
    if (typeof value === 'string') {
      expect(scrub({ tags: [[name, value]] })).toEqual({ tags: [[name, value]] })
    }
  })
})

test.each(removedTexts)('removed from a text: %s', (text, want) => {
  expect(scrub({ message: text })).toEqual({ message: want })
  expect(scrub({ message: want })).toEqual({ message: want })
})

test.each(keptTexts)('kept in a text: %s', (text) => {
  expect(scrub({ message: text })).toEqual({ message: text })
})

test.each(events)('%s', (_name, event, want) => {
  expect(scrub(event)).toEqual(want)
})
