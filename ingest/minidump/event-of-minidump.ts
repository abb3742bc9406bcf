/**
 * The event of a minidump: what the client says about the crash, and what the dump says without
 * symbols. The stack has the one frame that is known, the address of the crash, in its module.
 */
import type { EventId } from '#schemas/ids.ts'
import { eventBytesMax } from '#schemas/limits.ts'
import { crashReason } from './crash-reason.ts'
import { type Minidump, type MinidumpModule, readMinidump } from './read-minidump.ts'

export interface MinidumpEvent {
  readonly eventId: EventId
  /** Fields of the event that the client sent, such as release and tags. */
  readonly sent: Readonly<Record<string, unknown>>
  /** Undefined when the request has no dump. */
  readonly dump: Buffer | undefined
}

export const notSymbolicated = 'Minidump, not symbolicated'

/** JSON text, at most as long as an event may be. */
export function eventOfMinidump({ eventId, sent, dump }: MinidumpEvent): Buffer {
  const facts = dump && readMinidump(dump)
  const event = { level: 'fatal', ...sent, event_id: eventId, platform: 'native' }
  const whole = facts === undefined ? withoutFacts(event, dump) : withFacts(event, facts)
  const text = Buffer.from(JSON.stringify(whole))
  if (text.length <= eventBytesMax) return text
  // What the client sent beside the dump is too large: the crash itself is reported.
  const bare = { event_id: eventId, platform: 'native', level: 'fatal' }
  return Buffer.from(
    JSON.stringify(facts === undefined ? withoutFacts(bare, dump) : withFacts(bare, facts)),
  )
}

type Fields = Readonly<Record<string, unknown>>

function withoutFacts(event: Fields, dump: Buffer | undefined): Fields {
  if ('exception' in event || 'message' in event || 'logentry' in event) return event
  const value =
    dump === undefined ? 'Crash report without a minidump' : 'Crash with an unreadable minidump'
  return { ...event, exception: { values: [{ type: 'Minidump', value, mechanism }] } }
}

const mechanism = { type: 'minidump', handled: false }

function withFacts(event: Fields, facts: Minidump): Fields {
  const { crash, modules, os, osVersion, arch, timestampSeconds } = facts
  const address = crash && hex(crash.address)
  const where = crash && moduleOf(modules, crash.address)
  const reason = crashReason(facts)
  const frame = crash && {
    instruction_addr: address,
    ...(where === undefined ? {} : { package: where.codeFile }),
  }
  const contexts = isObject(event['contexts']) ? event['contexts'] : {}
  return {
    ...(timestampSeconds === undefined ? {} : { timestamp: timestampSeconds }),
    ...event,
    exception: {
      values: [
        {
          type: reason,
          value: `${notSymbolicated}${address === undefined ? '' : `: crashed at ${address}`}`,
          mechanism,
          ...(crash === undefined ? {} : { thread_id: crash.threadId }),
          ...(frame === undefined ? {} : { stacktrace: { frames: [frame] } }),
        },
      ],
    },
    debug_meta: { images: modules.map((module) => imageOf(module, os)) },
    contexts: {
      ...(os === undefined ? {} : { os: { name: osNames[os], version: osVersion } }),
      ...(arch === undefined ? {} : { device: { arch } }),
      ...contexts,
      minidump: {
        type: 'minidump',
        state: notSymbolicated,
        crash_reason: reason,
        ...(address === undefined ? {} : { crash_address: address }),
        ...(where === undefined ? {} : { crash_module: where.codeFile }),
        modules: modules.length,
      },
    },
  }
}

const osNames = {
  windows: 'Windows',
  macos: 'macOS',
  ios: 'iOS',
  linux: 'Linux',
  android: 'Android',
} as const

const imageTypes = { windows: 'pe', macos: 'macho', ios: 'macho', linux: 'elf', android: 'elf' }

function imageOf(module: MinidumpModule, os: Minidump['os']): Fields {
  return {
    ...(os === undefined ? {} : { type: imageTypes[os] }),
    image_addr: hex(module.baseAddress),
    image_size: module.size,
    code_file: module.codeFile,
    debug_id: module.debugId,
    code_id: module.codeId,
    debug_file: module.debugFile,
  }
}

function moduleOf(modules: readonly MinidumpModule[], at: bigint): MinidumpModule | undefined {
  return modules.find(
    ({ baseAddress, size }) => baseAddress <= at && at < baseAddress + BigInt(size),
  )
}

function hex(address: bigint): string {
  return `0x${address.toString(16)}`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
