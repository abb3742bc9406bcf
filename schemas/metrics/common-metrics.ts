import type { MetricDefinitions } from './metric-definition.ts'

/** Metrics of every process. */
export const commonMetrics = {
  buildInfo: {
    name: 'sluice_build_info',
    type: 'gauge',
    help: 'Always 1. The labels name the process, its version and the id of the installation that it belongs to.',
    labels: ['process', 'version', 'installation'],
  },
  ready: {
    name: 'sluice_ready',
    type: 'gauge',
    help: '1 while the process does its job for clients, 0 while it does not. It is the result of /health/ready.',
    labels: [],
  },
  dependencyUp: {
    name: 'sluice_dependency_up',
    type: 'gauge',
    help: '1 while a dependency of this process responds, 0 while it does not.',
    labels: ['dependency'],
  },
  outageLogLines: {
    name: 'sluice_outage_log_lines_total',
    type: 'counter',
    help: 'Log lines about failures that an unavailable dependency caused. They are written at debug level.',
    labels: [],
  },
  clockOffsetSeconds: {
    name: 'sluice_clock_offset_seconds',
    type: 'gauge',
    help: 'Clock of this machine minus the clock of Postgres, in seconds; 0 until the first measurement. Beyond 60 s in either direction the process uses the time of Postgres instead of its own.',
    labels: [],
  },
  diskFreeBytes: {
    name: 'sluice_disk_free_bytes',
    type: 'gauge',
    help: 'Free bytes of the disk or the storage that holds a folder. At 0 nothing more can be stored there.',
    labels: ['folder'],
  },
  diskSizeBytes: {
    name: 'sluice_disk_size_bytes',
    type: 'gauge',
    help: 'Size in bytes of the disk or the storage that holds a folder.',
    labels: ['folder'],
  },
  diskFullSeconds: {
    name: 'sluice_disk_full_seconds',
    type: 'gauge',
    help: 'Seconds until the disk of a folder is full if it keeps filling as in the last hour; +Inf while it does not fill. Low values need action, high ones do not.',
    labels: ['folder'],
  },
  periodicLastSuccess: {
    name: 'sluice_periodic_last_success_seconds',
    type: 'gauge',
    help: 'Unix time in seconds of the last successful run of a periodic task in this process; 0 before the first one. A value that does not grow means that the task fails or hangs.',
    labels: ['task'],
  },
  backupLastSuccess: {
    name: 'sluice_backup_last_success_seconds',
    type: 'gauge',
    help: 'Unix time in seconds at which the last complete backup ended; 0 if none was ever created.',
    labels: [],
    optional: 'reported by the process that reads the list of backups',
  },
} as const satisfies MetricDefinitions
