/**
 * Modules of logging libraries. A logged error has a stack that ends in the library, which is not
 * where the error is. Part of g1, data included: a change of any hash must be meant.
 */
import type { PlatformFamily } from './platform-family.ts'

// cspell:ignore kotlinlogging loguru oshai scalalogging sirupsen structlog typesafe

const modules: Partial<Record<PlatformFamily, readonly string[]>> = {
  python: [
    'logging',
    'structlog',
    'loguru',
    'opentelemetry.sdk._logs',
    'opentelemetry.instrumentation.logging',
  ],
  jvm: [
    'java.util.logging.',
    'org.slf4j.',
    'ch.qos.logback.',
    'org.apache.logging.log4j.',
    'org.apache.log4j.',
    'org.apache.commons.logging.',
    'android.util.Log',
    'timber.log.',
    'mu.',
    'io.github.oshai.kotlinlogging.',
    'com.typesafe.scalalogging.',
    'org.jboss.logging.',
  ],
  csharp: ['Microsoft.Extensions.Logging.', 'Serilog.', 'NLog.', 'log4net.', 'OpenTelemetry.Logs.'],
  go: [
    'log',
    'log/slog',
    'go.uber.org/zap',
    'github.com/sirupsen/logrus',
    'github.com/rs/zerolog',
    'go.opentelemetry.io/contrib/bridges',
  ],
}

export function isLogModule(family: PlatformFamily, module: string): boolean {
  const list = modules[family]
  if (list === undefined || module === '') return false
  for (const one of list) {
    if (!module.startsWith(one)) continue
    if (module.length === one.length || one.endsWith('.')) return true
    const next = module.charCodeAt(one.length)
    if (next === 0x2e || next === 0x2f) return true
  }
  return false
}
