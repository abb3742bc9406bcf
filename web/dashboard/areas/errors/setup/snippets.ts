/** How each platform sends its first error: install, configure, try. */

export interface Snippet {
  /** What it is: a file, a terminal. */
  readonly label: string
  readonly code: string
}

export interface Platform {
  readonly id: string
  readonly name: string
  readonly snippets: (dsn: Dsn) => readonly Snippet[]
  /** Where release and environment are said. */
  readonly naming: string
}

export interface Dsn {
  readonly text: string
  readonly publicKey: string
  /** `https://host/api/1`, with the path of a proxy. */
  readonly endpoint: string
}

export function readDsn(text: string): Dsn {
  const url = new URL(text)
  const [, prefix = '', projectNumber = ''] = /^(.*)\/([^/]+)\/?$/.exec(url.pathname) ?? []
  return {
    text,
    publicKey: url.username,
    endpoint: `${url.protocol}//${url.host}${prefix}/api/${projectNumber}`,
  }
}

export const platforms: readonly Platform[] = [
  {
    id: 'javascript',
    name: 'JavaScript',
    naming: "environment: 'production', release: 'shop@1.0.0'",
    snippets: ({ text }) => [
      { label: 'Terminal', code: 'npm install @sentry/browser' },
      {
        label: 'main.js, before other code',
        code: `import * as Sentry from '@sentry/browser'

Sentry.init({ dsn: '${text}' })

setTimeout(() => {
  throw new Error('First error from the browser')
})`,
      },
    ],
  },
  {
    id: 'node',
    name: 'Node',
    naming: "environment: 'production', release: 'shop@1.0.0'",
    snippets: ({ text }) => [
      { label: 'Terminal', code: 'npm install @sentry/node' },
      {
        label: 'instrument.mjs',
        code: `import * as Sentry from '@sentry/node'

Sentry.init({ dsn: '${text}' })`,
      },
      {
        label: 'app.mjs',
        code: `import * as Sentry from '@sentry/node'

try {
  throw new Error('First error from Node')
} catch (error) {
  Sentry.captureException(error)
}`,
      },
      { label: 'Terminal', code: 'node --import ./instrument.mjs app.mjs' },
    ],
  },
  {
    id: 'python',
    name: 'Python',
    naming: 'environment="production", release="shop@1.0.0"',
    snippets: ({ text }) => [
      { label: 'Terminal', code: 'pip install sentry-sdk' },
      {
        label: 'main.py',
        code: `import sentry_sdk

sentry_sdk.init(dsn="${text}")

raise ValueError("First error from Python")`,
      },
    ],
  },
  {
    id: 'go',
    name: 'Go',
    naming: 'Environment: "production", Release: "shop@1.0.0"',
    snippets: ({ text }) => [
      { label: 'Terminal', code: 'go get github.com/getsentry/sentry-go' },
      {
        label: 'main.go',
        code: `package main

import (
	"errors"
	"log"
	"time"

	"github.com/getsentry/sentry-go"
)

func main() {
	err := sentry.Init(sentry.ClientOptions{
		Dsn: "${text}",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer sentry.Flush(2 * time.Second)

	sentry.CaptureException(errors.New("First error from Go"))
}`,
      },
    ],
  },
  {
    id: 'rust',
    name: 'Rust',
    naming: 'environment: Some("production".into()), release: sentry::release_name!()',
    snippets: ({ text }) => [
      { label: 'Terminal', code: 'cargo add sentry' },
      {
        label: 'src/main.rs',
        code: `fn main() {
    // Events are sent while the guard lives.
    let _guard = sentry::init((
        "${text}",
        sentry::ClientOptions {
            release: sentry::release_name!(),
            ..Default::default()
        },
    ));

    panic!("First error from Rust");
}`,
      },
    ],
  },
  {
    id: 'java',
    name: 'Java',
    naming: 'options.setEnvironment("production"); options.setRelease("shop@1.0.0");',
    snippets: ({ text }) => [
      {
        label: 'build.gradle.kts',
        code: `dependencies {
    implementation("io.sentry:sentry:8.+")
}`,
      },
      {
        label: 'Main.java',
        code: `import io.sentry.Sentry;

public class Main {
    public static void main(String[] args) {
        Sentry.init(options -> options.setDsn("${text}"));

        try {
            throw new IllegalStateException("First error from Java");
        } catch (Exception error) {
            Sentry.captureException(error);
        }
        Sentry.close();
    }
}`,
      },
    ],
  },
  {
    id: 'php',
    name: 'PHP',
    naming: "'environment' => 'production', 'release' => 'shop@1.0.0'",
    snippets: ({ text }) => [
      { label: 'Terminal', code: 'composer require sentry/sentry' },
      {
        label: 'index.php',
        code: `<?php
require 'vendor/autoload.php';

\\Sentry\\init(['dsn' => '${text}']);

try {
    throw new RuntimeException('First error from PHP');
} catch (Throwable $error) {
    \\Sentry\\captureException($error);
}`,
      },
    ],
  },
  {
    id: 'ruby',
    name: 'Ruby',
    naming: "config.environment = 'production'; config.release = 'shop@1.0.0'",
    snippets: ({ text }) => [
      { label: 'Terminal', code: 'gem install sentry-ruby' },
      {
        label: 'main.rb',
        code: `require 'sentry-ruby'

Sentry.init do |config|
  config.dsn = '${text}'
end

begin
  raise 'First error from Ruby'
rescue => error
  Sentry.capture_exception(error)
end`,
      },
    ],
  },
  {
    id: 'dotnet',
    name: '.NET',
    naming: 'options.Environment = "production"; options.Release = "shop@1.0.0";',
    snippets: ({ text }) => [
      { label: 'Terminal', code: 'dotnet add package Sentry' },
      {
        label: 'Program.cs',
        code: `using Sentry;

using (SentrySdk.Init(options => options.Dsn = "${text}"))
{
    try
    {
        throw new InvalidOperationException("First error from .NET");
    }
    catch (Exception error)
    {
        SentrySdk.CaptureException(error);
    }
}`,
      },
    ],
  },
  {
    id: 'curl',
    name: 'cURL',
    naming: '"environment":"production","release":"shop@1.0.0"',
    snippets: ({ publicKey, endpoint }) => [
      {
        label: 'Terminal',
        code: `curl '${endpoint}/store/' \\
  -H 'X-Sentry-Auth: Sentry sentry_key=${publicKey}' \\
  -d '{"message":"First error from cURL","level":"error","platform":"other"}'`,
      },
    ],
  },
  {
    id: 'opentelemetry',
    name: 'OpenTelemetry',
    naming: 'OTEL_RESOURCE_ATTRIBUTES=service.version=1.0.0,deployment.environment.name=production',
    snippets: ({ publicKey, endpoint }) => [
      {
        label: 'Terminal, of a service with an OpenTelemetry SDK',
        code: `export OTEL_LOGS_EXPORTER=otlp
export OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_LOGS_ENDPOINT='${endpoint}/otlp/v1/logs'
export OTEL_EXPORTER_OTLP_LOGS_HEADERS='x-sentry-auth=sentry sentry_key=${publicKey}'`,
      },
      {
        label: 'Terminal, to try it without one',
        code: `curl '${endpoint}/otlp/v1/logs' \\
  -H 'Content-Type: application/json' \\
  -H 'X-Sentry-Auth: Sentry sentry_key=${publicKey}' \\
  -d '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":17,
       "body":{"stringValue":"First error from OpenTelemetry"}}]}]}]}'`,
      },
    ],
  },
]
