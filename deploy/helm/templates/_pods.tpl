{{/* Rights of every container. */}}
{{- define "tarsy.restricted" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Beginning of a Deployment's spec: dict of root, name, values and whether autoscaling counts the pods. */}}
{{- define "tarsy.deploymentSpec" -}}
{{- if not .scaled }}
replicas: {{ .values.replicas }}
{{- end }}
selector:
  matchLabels: { app.kubernetes.io/name: {{ .name }} }
{{- end -}}

{{/* Metadata of pods: dict of root, name and values. The checksum restarts the pods when their configuration changes. */}}
{{- define "tarsy.podMetadata" -}}
labels:
  app.kubernetes.io/name: {{ .name }}
  app.kubernetes.io/part-of: tarsy
  app.kubernetes.io/instance: {{ .root.Release.Name }}
annotations:
  checksum/config: {{ include (print .root.Template.BasePath "/config.yaml") .root | sha256sum }}
  {{- with .values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Settings of pods that all components share: dict of root, name and values. */}}
{{- define "tarsy.podSettings" -}}
terminationGracePeriodSeconds: 30
securityContext:
  runAsNonRoot: true
  seccompProfile: { type: RuntimeDefault }
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: { app.kubernetes.io/name: {{ $.name }} }
  {{- end }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .values.pod }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* DATABASE_URL. */}}
{{- define "tarsy.databaseUrl" -}}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.secrets.database.name }}, key: {{ .Values.secrets.database.key }} } }
{{- end -}}

{{/* DATABASE_POOLER_URL of API and workers, if the Secret has one; migrations do without. */}}
{{- define "tarsy.poolerUrl" -}}
{{- with .Values.secrets.database }}
- name: DATABASE_POOLER_URL
  valueFrom: { secretKeyRef: { name: {{ .name }}, key: {{ .poolerKey }}, optional: true } }
{{- end }}
{{- end -}}

{{/* DATABASE_READ_URL of the API, if the Secret has one. */}}
{{- define "tarsy.readUrl" -}}
{{- with .Values.secrets.database }}
- name: DATABASE_READ_URL
  valueFrom: { secretKeyRef: { name: {{ .name }}, key: {{ .readKey }}, optional: true } }
{{- end }}
{{- end -}}

{{/* Address of the server for metrics, without its `METRICS_` name where the host is another variable's. */}}
{{- define "tarsy.metricsAddress" -}}
- { name: METRICS_HOST, value: {{ .Values.network.listen | quote }} }
- { name: METRICS_PORT, value: "9090" }
{{- end -}}

{{/* Environment of API and workers. */}}
{{- define "tarsy.environmentFrom" -}}
- configMapRef: { name: {{ include "tarsy.fullname" . }}-environment }
# API and workers need the same TARSY_KEY.
- secretRef: { name: {{ .Values.secrets.key }}, optional: true }
# Variables that tarsy.yaml uses by token_env or as {{ "{{.NAME}}" }}: Slack, GitHub, MCP servers.
- secretRef: { name: {{ .Values.secrets.tokens }}, optional: true }
{{- include "tarsy.outgoingFrom" . }}
{{- end -}}

{{/* Variables of the forward proxy. */}}
{{- define "tarsy.outgoingFrom" -}}
{{- with .Values.secrets.outgoing }}
- secretRef: { name: {{ . }} }
{{- end }}
{{- end -}}

{{- define "tarsy.outgoingMount" -}}
{{- if .Values.secrets.outgoing }}
- { name: outgoing, mountPath: /outgoing, readOnly: true }
{{- end }}
{{- end -}}

{{- define "tarsy.outgoingVolume" -}}
{{- if .Values.secrets.outgoing }}
- { name: outgoing, configMap: { name: {{ .Values.outgoingConfigMap }}, optional: true } }
{{- end }}
{{- end -}}

{{- define "tarsy.extraMounts" -}}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "tarsy.extraVolumes" -}}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The container that migrates the database. */}}
{{- define "tarsy.migrateContainer" -}}
- name: migrate
  image: {{ include "tarsy.image" (list . .Values.images.tarsy) }}
  args: [migrate]
  env:
    {{- include "tarsy.databaseUrl" . | nindent 4 }}
  {{- include "tarsy.restricted" . | nindent 2 }}
  resources: {{ toJson .Values.migration.resources }}
  volumeMounts:
    - { name: tmp, mountPath: /tmp }
    {{- include "tarsy.extraMounts" . | nindent 4 }}
{{- end -}}

{{/* Init containers of API and workers. */}}
{{- define "tarsy.initContainers" -}}
{{- if eq .Values.migration.mode "initContainer" }}
# Migrates the schema before any new process starts; old processes keep running. Concurrent migrations wait.
initContainers:
  {{- include "tarsy.migrateContainer" . | nindent 2 }}
{{- end }}
{{- end -}}
