/**
 * What the context of an Unreal Engine crash says: a flat XML file, of which single elements are
 * looked up. The element `__sentry` may hold the JSON of an event.
 */
import { KiB } from '#schemas/limits.ts'

const contextBytesMax = 512 * KiB
const valueCharactersMax = 4_096

export function readUnrealContext(content: Buffer): Record<string, unknown> {
  const xml = content.toString('utf8', 0, contextBytesMax)
  const message = elementOf(xml, 'ErrorMessage')
  const facts = {
    crash_type: elementOf(xml, 'CrashType'),
    engine_version: elementOf(xml, 'EngineVersion'),
    game_name: elementOf(xml, 'GameName'),
    build_configuration: elementOf(xml, 'BuildConfiguration'),
    platform_name: elementOf(xml, 'PlatformName'),
    executable_name: elementOf(xml, 'ExecutableName'),
  }
  return {
    ...(message === undefined ? {} : { logentry: { formatted: message } }),
    contexts: { unreal: { type: 'unreal', ...facts } },
    ...sentFieldsOf(elementOf(xml, '__sentry')),
  }
}

function sentFieldsOf(json: string | undefined): Record<string, unknown> {
  if (json === undefined) return {}
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
}

function elementOf(xml: string, name: string): string | undefined {
  const open = `<${name}>`
  const start = xml.indexOf(open)
  if (start < 0) return undefined
  const end = xml.indexOf(`</${name}>`, start)
  if (end < 0) return undefined
  const text = xml.slice(
    start + open.length,
    Math.min(end, start + open.length + valueCharactersMax),
  )
  const plain = text.replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => entities[entity] ?? entity)
  return plain.trim() === '' ? undefined : plain.trim()
}
