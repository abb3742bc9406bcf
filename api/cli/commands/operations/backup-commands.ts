/**
 * `backup`: backups of the whole installation in a folder or a bucket (docs/operations/backup.md).
 */
import { systemClock } from '#platform/clock.ts'
import type { Manifest } from '#schemas/backup/manifest.ts'
import { createBackup } from '../../../backup/create-backup.ts'
import { listBackups } from '../../../backup/list-backups.ts'
import { findManifest, sizeOf } from '../../../backup/manifests.ts'
import { openPlace } from '../../../backup/places/open-place.ts'
import { deleteBackup, pruneBackups } from '../../../backup/prune-backups.ts'
import { type Restored, restoreBackup } from '../../../backup/restore-backup.ts'
import { verifyBackup } from '../../../backup/verify-backup.ts'
import type { BareRun, BareVerbPlan } from '../../command.ts'
import { UsageError } from '../../usage-error.ts'
import { withBackupContext } from './backup-session.ts'

const from = { '--from <place>': 'a folder, or s3://bucket/prefix!' }
const idOrNewest = { '--id <id>': 'the backup; default: the newest one' }

export const backupVerbs: readonly BareVerbPlan[] = [
  {
    verb: 'create',
    summary: 'Create a backup while everything runs; only what changed is copied',
    flags: {
      '--to <place>': 'a folder, or s3://bucket/prefix!',
      '--keep <count>': 'then delete all but this many of the newest backups',
      '--wait <seconds>': 'how long workers may take to commit what they began; default 30',
    },
    runBare: create,
  },
  { verb: 'list', summary: 'List backups, oldest first', flags: from, runBare: list },
  {
    verb: 'verify',
    summary: 'Read a backup and compare every object with its checksum',
    flags: { ...from, ...idOrNewest, '--sample <percent>': 'read only this share of the objects' },
    runBare: verify,
  },
  {
    verb: 'restore',
    summary: 'Restore a backup into an empty Postgres and an empty ClickHouse',
    flags: {
      ...from,
      ...idOrNewest,
      '--replace <databases>':
        'delete what the two databases hold; names both, as the refusal without it prints them',
      '--cancel-emails': 'cancel the transactional emails that were waiting; default: send them',
    },
    runBare: restore,
  },
  {
    verb: 'delete',
    summary: 'Delete a backup, and the objects that no other backup names',
    flags: from,
    operand: 'id',
    runBare: remove,
  },
  {
    verb: 'prune',
    summary: 'Delete all but the newest backups of each installation',
    flags: { ...from, '--keep <count>': 'number of backups to keep!' },
    runBare: prune,
  },
]

async function create(run: BareRun) {
  const { flags, env } = run
  const place = openPlace(flags.to ?? '', env)
  const keep = flags.keep === undefined ? undefined : readNumber('--keep', flags.keep, 1, 100_000)
  const seconds = readNumber('--wait', flags.wait ?? '30', 1, 3_600)
  return withBackupContext(run, async (ctx) => {
    const manifest = await createBackup(ctx, { place, waitMsMax: seconds * 1000 })
    const pruned = keep && (await pruneBackups(place, { keep, clock: ctx.clock }))
    return {
      ...summaryOf(manifest),
      durationMs: Date.parse(manifest.finishedAt) - Date.parse(manifest.startedAt),
      place: place.name,
      ...(pruned ? { deleted: pruned.deleted } : {}),
      notIncluded: manifest.notIncluded,
    }
  })
}

function summaryOf(manifest: Manifest) {
  const { id, pointAt, holdMs, written } = manifest
  return {
    id,
    pointAt,
    holdMs,
    ...sizeOf(manifest),
    objectsAdded: written.objects,
    bytesAdded: written.storedBytes,
  }
}

async function list({ flags, env }: BareRun) {
  const listed = await listBackups(openPlace(flags.from ?? '', env))
  return listed.map((backup) => ({ ...backup }))
}

async function verify({ flags, env, say, fail }: BareRun) {
  const place = openPlace(flags.from ?? '', env)
  const percent = readNumber('--sample', flags.sample ?? '100', 0.01, 100)
  const manifest = await findManifest(place, flags.id)
  const verified = await verifyBackup({
    place,
    manifest,
    share: percent / 100,
    say: (line) => say(`${line}\n`),
  })
  const { problems, ...rest } = verified
  if (problems.length > 0) {
    fail(`Backup ${verified.id} has ${problems.length} problems and cannot be restored.`)
  }
  if (flags.json === true) return { ...rest, problems }
  if (problems.length > 0) return problems.map((problem) => ({ ...problem }))
  return { ...rest, problems: 'none' }
}

async function restore(run: BareRun) {
  const { flags, env } = run
  const place = openPlace(flags.from ?? '', env)
  return withBackupContext(run, async (ctx) => {
    const restored = await restoreBackup(ctx, {
      place,
      id: flags.id,
      replace: flags.replace,
      cancelsEmails: flags.cancelEmails === true,
    })
    for (const line of advice(restored)) ctx.say(line)
    const { manifest, ...rest } = restored
    return {
      id: manifest.id,
      pointAt: manifest.pointAt,
      installationId: manifest.installationId,
      ...rest,
      replay: flags.json === true ? (rest.replay ?? null) : describeReplay(restored),
      laterStreams: flags.json === true ? rest.laterStreams : rest.laterStreams.join(', ') || '-',
    }
  })
}

function describeReplay({ replay }: Restored): string {
  if (replay === undefined) return 'the stream was not checked (NATS_URL)'
  if (replay.every(({ stream }) => stream === 'other')) return 'the streams are new or empty'
  const missing = replay.filter((one) => one.missing !== undefined)
  if (missing.length === 0) return 'nothing of the stream is missing'
  return missing
    .map(
      ({ partition, missing: gap }) => `partition ${partition}: ${gap?.from} to ${gap?.to} is gone`,
    )
    .join('; ')
}

function advice(restored: Restored): string[] {
  const { replay, laterStreams, campaignsPaused, emailsWaiting } = restored
  const lines: string[] = []
  if (replay?.some((one) => one.missing !== undefined) === true) {
    lines.push(
      'Messages that the stream no longer holds were committed after the backup. Ingest processes send again what their write-ahead logs hold; the rest is lost.',
    )
  }
  if (laterStreams.length > 0) {
    lines.push(
      `The number of partitions was changed after the backup, and nobody reads ${laterStreams.join(', ')}: run \`reconcile --dry-run\`, which prints the command that adds these partitions again.`,
    )
  }
  if (campaignsPaused > 0) {
    lines.push(
      `${campaignsPaused} campaigns are paused: some of their emails may have been sent after the backup. Resume or cancel each.`,
    )
  }
  if (emailsWaiting > 0) {
    lines.push(
      `${emailsWaiting} transactional emails were waiting at that time. The mailer sends them when it starts, also those that were sent since: to prevent it, restore again with --cancel-emails before you start the mailer.`,
    )
  }
  lines.push('Set SLUICE_SECRET to the secret of this installation, and start the services.')
  return lines
}

async function remove({ flags, env }: BareRun) {
  const place = openPlace(flags.from ?? '', env)
  return { ...(await deleteBackup(place, { id: flags.id ?? '', clock: systemClock })) }
}

async function prune({ flags, env }: BareRun) {
  const place = openPlace(flags.from ?? '', env)
  const keep = readNumber('--keep', flags.keep ?? '', 1, 100_000)
  return { ...(await pruneBackups(place, { keep, clock: systemClock })) }
}

function readNumber(flag: string, text: string, min: number, max: number): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  const isWhole = flag === '--sample' || Number.isInteger(number)
  if (isWhole && number >= min && number <= max) return number
  const kind = flag === '--sample' ? 'number' : 'whole number'
  throw new UsageError(`${flag} is "${text}": write a ${kind} from ${min} to ${max}.`)
}
