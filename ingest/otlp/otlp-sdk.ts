/** The SDK of an OTLP sender: `opentelemetry.nodejs`, from the attributes of its resource. */
import type { OtlpAttributes } from '#schemas/wire/otlp-log.ts'

export function otlpSdkName(resource: OtlpAttributes): string {
  const name = textOf(resource, 'telemetry.sdk.name')
  const language = textOf(resource, 'telemetry.sdk.language')
  return [name || 'otlp', language].filter((part) => part !== '').join('.')
}

function textOf(resource: OtlpAttributes, key: string): string {
  const value = resource.get(key)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
