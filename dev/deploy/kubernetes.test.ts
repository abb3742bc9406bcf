import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readEnv, type VariableName, variableNames } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { healthUrl } from '../entry/probe-process.ts'
import { isProgramWord } from '../entry/program-words.ts'

// biome-ignore lint/suspicious/noExplicitAny: manifests are checked field by field.
type Manifest = any

const folder = join(projectRoot, 'dev/deploy/kubernetes')
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
const kustomization: Manifest = parse(textOf('kustomization.yaml'))
const resources: string[] = kustomization.resources
const all: Manifest[] = resources.flatMap((name) =>
  parseAllDocuments(textOf(name)).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  }),
)
const ofKind = (...kinds: string[]) => all.filter(({ kind }) => kinds.includes(kind))
const named = (kind: string, name: string) =>
  all.find((one) => one.kind === kind && one.metadata.name === name)
const services = ['ingest', 'workers', 'mailer', 'api'] as const
const workloads = ofKind('Deployment', 'StatefulSet', 'Job')
const podOf = (workload: Manifest) => workload.spec.template
const settings: Record<string, string> = named('ConfigMap', 'sluice-settings').data
const secrets: Record<string, string> = named('Secret', 'sluice-secrets').stringData

test('the kustomization lists every file except the example of an ingress', () => {
  const files = readdirSync(folder).filter((name) => !/^(kustomization|ingress)\.yaml$/.test(name))
  expect([...resources].sort()).toEqual(files.sort())
  expect(parseAllDocuments(textOf('ingress.yaml'))).toHaveLength(1)
})

test('every process has a workload, and migrate is a Job', () => {
  const names = workloads.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()
  expect(names).toEqual(
    [
      'Deployment sluice-api',
      'Deployment sluice-mailer',
      'Deployment sluice-workers',
      'Job sluice-migrate',
      'StatefulSet sluice-ingest',
    ].sort(),
  )
})

describe('the settings', () => {
  test('are variables of the product, as text, and no secret is among them', () => {
    for (const [name, value] of Object.entries({ ...settings, ...secrets })) {
      expect(variableNames, name).toContain(name)
      expect(typeof value, name).toBe('string')
    }
    for (const [name, value] of Object.entries(settings)) {
      expect(name).not.toMatch(/SECRET|PASSWORD/)
      expect(value).not.toMatch(/:\/\/[^/]*@/)
    }
  })

  test('are valid, except the secret of the template', () => {
    const names = Object.keys({ ...settings, ...secrets }).filter(
      (name) => name !== 'SLUICE_SECRET',
    )
    expect(() => readEnv(names as VariableName[], { ...settings, ...secrets })).not.toThrow()
    expect(() => readEnv(['SLUICE_SECRET'], secrets)).toThrow('SLUICE_SECRET')
    for (const value of Object.values(secrets)) expect(value).toContain('REPLACE')
  })

  test('trust a network of pods at most', () => {
    for (const name of ['INGEST_TRUSTED_PROXIES', 'TRUSTED_PROXIES']) {
      const [, bits] = /^[\d.]+\/(\d+)$/.exec(settings[name] ?? '') ?? []
      expect(Number(bits), name).toBeGreaterThanOrEqual(16)
    }
  })

  test('let probes and clients reach every port', () => {
    for (const name of variableNames.filter((variable) => /_HOST$/.test(variable))) {
      expect(settings[name], name).toBe('0.0.0.0')
    }
    expect(Number(settings['INGEST_STREAMS'])).toBeLessThanOrEqual(
      Number(settings['INGEST_PARTITIONS']),
    )
  })
})

describe.each(services)('%s', (name) => {
  const workload = workloads.find(({ metadata }) => metadata.name === `sluice-${name}`)
  const pod = podOf(workload)
  const [container] = pod.spec.containers
  const ports = new Map<string, number>(
    container.ports.map((port: Manifest) => [port.name, port.containerPort]),
  )

  test('listens on the default ports, which the settings do not change', () => {
    const opsPort = Number(new URL(healthUrl(name, '/health', {})).port)
    expect(ports.get('ops')).toBe(opsPort)
    expect(pod.metadata.annotations['prometheus.io/port']).toBe(String(opsPort))
    const publicPorts: Partial<Record<typeof name, VariableName>> = {
      ingest: 'INGEST_PORT',
      api: 'API_PORT',
    }
    const variable = publicPorts[name]
    const wanted = variable === undefined ? undefined : readEnv([variable], {})[variable]
    expect(ports.get('http')).toBe(wanted)
    expect(Object.keys(settings).filter((setting) => /_PORT$/.test(setting))).toEqual([])
  })

  test('is restarted by its own health only, and gets requests by its readiness', () => {
    expect(container.livenessProbe.httpGet).toEqual({ path: '/health', port: 'ops' })
    expect(container.startupProbe.httpGet).toEqual({ path: '/health', port: 'ops' })
    expect(container.readinessProbe.httpGet).toEqual({ path: '/health/ready', port: 'ops' })
    const { periodSeconds, failureThreshold } = container.startupProbe
    // A process waits a minute for each of two databases.
    expect(periodSeconds * failureThreshold).toBeGreaterThan(120)
  })

  test('has more than one replica, a budget, and time to drain', () => {
    expect(workload.spec.replicas).toBeGreaterThan(1)
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(30)
    const budget = named('PodDisruptionBudget', `sluice-${name}`)
    expect(budget.spec.selector.matchLabels).toEqual({ app: `sluice-${name}` })
    expect(workload.spec.selector.matchLabels).toEqual({ app: `sluice-${name}` })
  })
})

test('ingest keeps its log on a volume that outlives the pod and is larger than the log', () => {
  const { spec } = named('StatefulSet', 'sluice-ingest')
  const [claim] = spec.volumeClaimTemplates
  const mount = spec.template.spec.containers[0].volumeMounts.find(
    (one: Manifest) => one.name === claim.metadata.name,
  )
  expect(settings['INGEST_LOG_DIR']?.startsWith(`${mount.mountPath}/`)).toBe(true)
  expect(spec.persistentVolumeClaimRetentionPolicy).toEqual({
    whenDeleted: 'Retain',
    whenScaled: 'Retain',
  })
  const gibibytes = Number(/^(\d+)Gi$/.exec(claim.spec.resources.requests.storage)?.[1])
  const { INGEST_LOG_BYTES_MAX } = readEnv(['INGEST_LOG_BYTES_MAX'], settings)
  expect(gibibytes * 1024 ** 3).toBeGreaterThan(INGEST_LOG_BYTES_MAX)
  expect(named('Service', spec.serviceName).spec.clusterIP).toBe('None')
})

test.each(workloads.map((one) => [one.metadata.name, one]))(
  '%s runs a program of the image without rights, on a read-only root',
  (_name, workload) => {
    const { spec, metadata } = podOf(workload)
    expect(metadata.labels).toMatchObject({ app: workload.metadata.name, 'part-of': 'sluice' })
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
    expect(spec.securityContext.seccompProfile.type).toBe('RuntimeDefault')
    expect(spec.automountServiceAccountToken).toBe(false)
    for (const container of spec.containers) {
      expect(container.image).toBe('sluice')
      expect(isProgramWord(container.args[0])).toBe(true)
      expect(container.command).toBeUndefined()
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(container.resources.limits.memory).toBeDefined()
      const sources = container.envFrom.map(
        (one: Manifest) => (one.configMapRef ?? one.secretRef).name,
      )
      expect(sources).toEqual(['sluice-settings', 'sluice-secrets'])
      const volumes = spec.volumes.map((one: Manifest) => one.name)
      const claims = (workload.spec.volumeClaimTemplates ?? []).map(
        (one: Manifest) => one.metadata.name,
      )
      for (const { name } of container.volumeMounts) expect([...volumes, ...claims]).toContain(name)
    }
  },
)

test('services, policies and the ingress name pods and ports that exist', () => {
  const pods = workloads.map((one) => podOf(one))
  const select = (labels: Record<string, string>) =>
    pods.filter(({ metadata }) =>
      Object.entries(labels).every(([key, value]) => metadata.labels[key] === value),
    )
  const portsOf = (pod: Manifest) => pod.spec.containers.flatMap((one: Manifest) => one.ports ?? [])
  for (const { spec } of ofKind('Service')) {
    const chosen = select(spec.selector)
    expect(chosen).toHaveLength(1)
    for (const { targetPort, port } of spec.ports) {
      const found = portsOf(chosen[0]).find((one: Manifest) => one.name === targetPort)
      expect(found?.containerPort).toBe(port)
    }
  }
  for (const { spec } of ofKind('NetworkPolicy')) {
    const numbers = select(spec.podSelector.matchLabels)
      .flatMap(portsOf)
      .map((one) => one.containerPort)
    expect(spec.policyTypes).toEqual(['Ingress'])
    for (const rule of spec.ingress) {
      for (const { port } of rule.ports) expect(numbers).toContain(port)
    }
  }
  const [ingress] = parseAllDocuments(textOf('ingress.yaml')).map((one) => one.toJS())
  const hosts = ingress.spec.rules.map((rule: Manifest) => rule.host)
  expect(hosts).toEqual(
    [settings['INGEST_URL'], settings['API_URL']].map((url) => new URL(url ?? '').host),
  )
  for (const rule of ingress.spec.rules) {
    const { service } = rule.http.paths[0].backend
    expect(named('Service', service.name).spec.ports[0].name).toBe(service.port.name)
  }
})

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0
test.runIf(hasKubectl)('kubectl renders the kustomization with one image', () => {
  const run = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  expect([run.status, run.stderr]).toEqual([0, ''])
  const rendered = parseAllDocuments(run.stdout).map((one) => one.toJS())
  expect(rendered).toHaveLength(all.length)
  const images = rendered.flatMap((one) => one.spec?.template?.spec?.containers ?? [])
  const [{ newName, newTag }] = kustomization.images
  for (const { image } of images) expect(image).toBe(`${newName}:${newTag}`)
  expect(newTag).not.toBe('latest')
  for (const { metadata, kind } of rendered) {
    if (kind !== 'Namespace') expect(metadata.namespace).toBe(kustomization.namespace)
  }
})
