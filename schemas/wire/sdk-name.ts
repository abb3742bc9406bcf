/** Names of SDKs, as outcomes are counted by them. */
import { storedText } from '../stored-text.ts'
import type { OtlpAttributes } from './otlp-log.ts'

/** Stands for all names beyond the limit of a project and hour. */
export const otherSdk = 'other'

const charactersMax = 64
const otherCharacters = /[^A-Za-z0-9_.@/:+ -]/g

/**
 * The name without its version: the text before the first slash, or before the second one of a
 * package with a scope (`@scope/name`). At most 64 characters; characters that names of SDKs do not
 * have become `_`.
 */
export function sdkNameOf(client: string): string {
  const from = client.startsWith('@') ? client.indexOf('/') + 1 : 0
  const slash = client.indexOf('/', from)
  const name = slash < 0 ? client : client.slice(0, slash)
  return storedText(name.trim().slice(0, charactersMax).replace(otherCharacters, '_'))
}

/** The SDK of an OTLP sender: `opentelemetry.nodejs`, from the attributes of its resource. */
export function otlpSdkName(resource: OtlpAttributes): string {
  const name = textOf(resource, 'telemetry.sdk.name')
  const language = textOf(resource, 'telemetry.sdk.language')
  return [name || 'otlp', language].filter((part) => part !== '').join('.')
}

function textOf(resource: OtlpAttributes, key: string): string {
  const value = resource.get(key)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** SDKs of Sentry and OpenTelemetry: their names are never counted as `other`. */
export function isKnownSdk(name: string): boolean {
  return knownSdks.has(name)
}

const sentry = {
  javascript: `
    angular astro aws-serverless browser bun capacitor cloudflare cordova deno electron elysia ember
    gatsby google-cloud-serverless hono nestjs nextjs node node-core nuxt opentelemetry react
    react-native react-router remix serverless solid solidstart svelte sveltekit
    tanstackstart-react vercel-edge vue wasm`,
  python: 'aws_lambda celery django falcon fastapi flask starlette',
  java: `
    android apollo jul kotlin log4j2 logback opentelemetry.agent opentelemetry.agentless spring
    spring-boot spring-boot.jakarta spring.jakarta`,
  dotnet: `
    android aspnet aspnetcore azure-functions cocoa extensions.logging google-cloud-function log4net
    maui nlog serilog unity xamarin`,
  cocoa: 'capacitor flutter react-native unity unreal',
  native: `
    android android.capacitor android.flutter android.react-native android.unity dotnet electron
    flutter playstation switch unity unreal xbox`,
  php: 'laravel symfony wordpress',
  ruby: 'delayed_job rails resque sidekiq',
  dart: 'flutter logging',
  go: 'echo fasthttp fiber gin iris logrus negroni slog zerolog',
  rust: 'actix',
  elixir: '',
  unreal: '',
  unity: '',
  perl: '',
  lua: '',
  clojure: '',
  godot: '',
  powershell: '',
} as const

/** `telemetry.sdk.language` by the semantic conventions, behind `telemetry.sdk.name`. */
const openTelemetry =
  'cpp dotnet erlang go java nodejs php python ruby rust swift webjs android kotlin'

const former =
  'raven-js raven-node raven-python raven-php raven-ruby raven-java raven-go sentry-curl'

const knownSdks: ReadonlySet<string> = new Set([
  ...Object.entries(sentry).flatMap(([family, variants]) => [
    `sentry.${family}`,
    `sentry-${family}`,
    ...words(variants).map((variant) => `sentry.${family}.${variant}`),
  ]),
  'opentelemetry',
  'otlp',
  ...words(openTelemetry).flatMap((language) => [`opentelemetry.${language}`, `otlp.${language}`]),
  ...words(former),
])

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
