/**
 * Reads the facts of a minidump that need no symbols: why and where the program crashed, its
 * system, and its modules. The layout is Microsoft's (minidumpapiset.h); Breakpad and Crashpad
 * write it on all systems. Every offset is checked, no more than `modulesMax` modules are read, and
 * the work does not depend on the size of the dump. Anything wrong leaves facts out and never
 * throws.
 */
export interface MinidumpModule {
  readonly baseAddress: bigint
  readonly size: number
  /** Path of the file as the system names it. */
  readonly codeFile: string
  /** As in `debug_meta.images`; undefined when the dump holds none. */
  readonly debugId: string | undefined
  readonly codeId: string | undefined
  readonly debugFile: string | undefined
}

export interface Minidump {
  readonly os: 'windows' | 'macos' | 'ios' | 'linux' | 'android' | undefined
  readonly osVersion: string | undefined
  readonly arch: string | undefined
  readonly crash:
    | {
        readonly threadId: number
        readonly code: number
        readonly flags: number
        readonly address: bigint
      }
    | undefined
  readonly timestampSeconds: number | undefined
  readonly modules: readonly MinidumpModule[]
}

const magic = 0x504d444d // 'MDMP'
const headerBytes = 32
const streamsMax = 200
const modulesMax = 1_000
const moduleBytes = 108
const nameCharactersMax = 1_024

const streams = { modules: 4, exception: 6, system: 7 } as const

export function readMinidump(bytes: Buffer): Minidump | undefined {
  if (bytes.length < headerBytes || bytes.readUInt32LE(0) !== magic) return undefined
  const streamCount = Math.min(bytes.readUInt32LE(8), streamsMax)
  const directory = bytes.readUInt32LE(12)
  const found = new Map<number, number>()
  for (let index = 0; index < streamCount; index += 1) {
    const at = directory + index * 12
    if (bytes.length < at + 12) break
    const type = bytes.readUInt32LE(at)
    if (!found.has(type)) found.set(type, bytes.readUInt32LE(at + 8))
  }
  const seconds = bytes.readUInt32LE(20)
  return {
    ...readSystem(bytes, found.get(streams.system)),
    crash: readException(bytes, found.get(streams.exception)),
    timestampSeconds: seconds === 0 ? undefined : seconds,
    modules: readModules(bytes, found.get(streams.modules)),
  }
}

const architectures: ReadonlyMap<number, string> = new Map([
  [0, 'x86'],
  [5, 'arm'],
  [9, 'x86_64'],
  [12, 'arm64'],
  [0x8003, 'arm64'],
])

const systems: ReadonlyMap<number, Minidump['os']> = new Map([
  [1, 'windows'],
  [2, 'windows'],
  [0x8101, 'macos'],
  [0x8102, 'ios'],
  [0x8201, 'linux'],
  [0x8203, 'android'],
])

function readSystem(
  bytes: Buffer,
  at: number | undefined,
): Pick<Minidump, 'os' | 'osVersion' | 'arch'> {
  if (at === undefined || bytes.length < at + 24) {
    return { os: undefined, osVersion: undefined, arch: undefined }
  }
  const version = [8, 12, 16].map((offset) => bytes.readUInt32LE(at + offset))
  return {
    arch: architectures.get(bytes.readUInt16LE(at)),
    os: systems.get(bytes.readUInt32LE(at + 20)),
    osVersion: version.every((part) => part === 0) ? undefined : version.join('.'),
  }
}

function readException(bytes: Buffer, at: number | undefined): Minidump['crash'] {
  if (at === undefined || bytes.length < at + 32) return undefined
  return {
    threadId: bytes.readUInt32LE(at),
    code: bytes.readUInt32LE(at + 8),
    flags: bytes.readUInt32LE(at + 12),
    address: bytes.readBigUInt64LE(at + 24),
  }
}

function readModules(bytes: Buffer, at: number | undefined): MinidumpModule[] {
  if (at === undefined || bytes.length < at + 4) return []
  const count = Math.min(bytes.readUInt32LE(at), modulesMax)
  const modules: MinidumpModule[] = []
  for (let index = 0; index < count; index += 1) {
    const start = at + 4 + index * moduleBytes
    if (bytes.length < start + moduleBytes) break
    const size = bytes.readUInt32LE(start + 8)
    const timestamp = bytes.readUInt32LE(start + 16)
    const record = bytes.readUInt32LE(start + 80)
    const codeView = bytes.readUInt32LE(start + 76)
    modules.push({
      baseAddress: bytes.readBigUInt64LE(start),
      size,
      codeFile: readName(bytes, bytes.readUInt32LE(start + 20)),
      ...readCodeView(bytes, { at: record, length: codeView, timestamp, size }),
    })
  }
  return modules
}

/** UTF-16 behind its length in bytes. */
function readName(bytes: Buffer, at: number): string {
  if (bytes.length < at + 4) return ''
  const length = Math.min(bytes.readUInt32LE(at), nameCharactersMax * 2, bytes.length - at - 4)
  return bytes.toString('utf16le', at + 4, at + 4 + (length & ~1))
}

const rsds = 0x53445352 // 'RSDS'
const elf = 0x4270454c // 'LEpB'
const buildIdBytesMax = 64

/** RSDS: a GUID, an age and the name of a PDB file. LEpB: the build id of an ELF file. */
function readCodeView(
  bytes: Buffer,
  record: {
    readonly at: number
    readonly length: number
    readonly timestamp: number
    readonly size: number
  },
): Pick<MinidumpModule, 'debugId' | 'codeId' | 'debugFile'> {
  const none = { debugId: undefined, codeId: undefined, debugFile: undefined }
  const { at, timestamp, size } = record
  const length = Math.min(record.length, bytes.length - at)
  if (length < 4) return none
  const signature = bytes.readUInt32LE(at)
  if (signature === elf) {
    const id = bytes.subarray(at + 4, at + Math.min(length, 4 + buildIdBytesMax))
    if (id.length === 0) return none
    const guid = Buffer.concat([id, Buffer.alloc(16)]).subarray(0, 16)
    return { debugId: guidOf(guid), codeId: id.toString('hex'), debugFile: undefined }
  }
  if (signature !== rsds || length < 24) return none
  const age = bytes.readUInt32LE(at + 20)
  // Bounded, or each module of a hostile dump would make a search through all of its bytes.
  const name = bytes.subarray(at + 24, at + Math.min(length, 24 + nameCharactersMax))
  const nameEnd = name.indexOf(0)
  return {
    debugId: `${guidOf(bytes.subarray(at + 4, at + 20))}${age === 0 ? '' : `-${age.toString(16)}`}`,
    codeId: `${timestamp.toString(16).padStart(8, '0')}${size.toString(16)}`,
    debugFile: name.toString('utf8', 0, nameEnd < 0 ? name.length : nameEnd),
  }
}

/** The first three groups of a GUID are little endian. */
function guidOf(id: Buffer): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  return [
    hex(id.readUInt32LE(0), 8),
    hex(id.readUInt16LE(4), 4),
    hex(id.readUInt16LE(6), 4),
    id.toString('hex', 8, 10),
    id.toString('hex', 10, 16),
  ].join('-')
}
