{{/* Name of the release's objects. */}}
{{- define "tarsy.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains "tarsy" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-tarsy" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Name of cluster-wide objects. Contains the namespace, because releases of several namespaces can have the same name. */}}
{{- define "tarsy.clusterName" -}}
{{- $name := include "tarsy.fullname" . -}}
{{- eq $name .Release.Namespace | ternary $name (printf "%s-%s" .Release.Namespace $name) -}}
{{- end -}}

{{/* Labels of every object. */}}
{{- define "tarsy.labels" -}}
app.kubernetes.io/part-of: tarsy
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Metadata of an object: list of root, name and, for objects of a component, the name of its pods. */}}
{{- define "tarsy.metadata" -}}
{{- $root := index . 0 -}}
name: {{ index . 1 }}
namespace: {{ $root.Release.Namespace }}
labels:
  {{- if gt (len .) 2 }}
  app.kubernetes.io/name: {{ index . 2 }}
  {{- end }}
  {{- include "tarsy.labels" $root | nindent 2 }}
{{- end -}}

{{/* Full name of an image: list of root and its values. */}}
{{- define "tarsy.image" -}}
{{- $root := index . 0 -}}
{{- $image := index . 1 -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository ($image.tag | default $root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* Value of a variable as text. JSON keeps the digits of a number that toString would write as 1.2e+06. */}}
{{- define "tarsy.variable" -}}
{{- kindIs "string" . | ternary . (toJson .) | quote -}}
{{- end -}}

{{/* Host of `dashboardUrl`, with its port. */}}
{{- define "tarsy.host" -}}
{{- (urlParse .Values.dashboardUrl).host -}}
{{- end -}}

{{/* Path of `dashboardUrl` without a slash at the end; empty at the root. */}}
{{- define "tarsy.subPath" -}}
{{- (urlParse .Values.dashboardUrl).path | trimSuffix "/" -}}
{{- end -}}

{{/* `network.listen` as it stands before a port. */}}
{{- define "tarsy.listenHost" -}}
{{- eq .Values.network.listen "::" | ternary "[::]" .Values.network.listen -}}
{{- end -}}

{{/* IP families of a Service. */}}
{{- define "tarsy.families" -}}
{{- with .Values.network.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.network.ipFamilies }}
ipFamilies: {{ toJson . }}
{{- end }}
{{- end -}}

{{/* Stops values that contradict each other. */}}
{{- define "tarsy.check" -}}
{{- if and (has "IPv6" .Values.network.ipFamilies) (ne .Values.network.listen "::") -}}
{{- fail "network.ipFamilies contains IPv6: set network.listen to ::" -}}
{{- end -}}
{{- if and .Values.gateway.enabled (not .Values.gateway.parentRefs) -}}
{{- fail "gateway.enabled needs gateway.parentRefs: name the Gateway of your cluster" -}}
{{- end -}}
{{- if and (eq .Values.rbac.read "namespaces") (not .Values.rbac.namespaces) -}}
{{- fail "rbac.read is namespaces: name them in rbac.namespaces" -}}
{{- end -}}
{{- if and (eq .Values.signIn.mode "oidc") (not (dig "auth" "oidc" "" .Values.config)) -}}
{{- fail "signIn.mode is oidc: set issuer, client_id and client_secret in config.auth.oidc" -}}
{{- end -}}
{{- range $name, $scale := dict "api" .Values.api.autoscaling "worker" .Values.worker.autoscaling "llmService" .Values.llmService.autoscaling -}}
{{- if gt (int $scale.minReplicas) (int $scale.maxReplicas) -}}
{{- fail (printf "%s.autoscaling: minReplicas is more than maxReplicas" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
