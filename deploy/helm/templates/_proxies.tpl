{{/* The proxy that signs users in, as a container of the API's pod. */}}
{{- define "tarsy.oauth2Proxy" -}}
{{- $name := include "tarsy.fullname" . -}}
- name: oauth2-proxy
  image: {{ include "tarsy.image" (list . .Values.images.oauth2Proxy) }}
  args:
    - --config=/etc/oauth2-proxy/oauth2-proxy.cfg
  ports:
    - { name: dashboard, containerPort: 4180 }
  envFrom:
    - configMapRef: { name: {{ $name }}-sign-in }
  env:
    - name: TARSY_DASHBOARD_URL
      valueFrom: { configMapKeyRef: { name: {{ $name }}-environment, key: TARSY_DASHBOARD_URL } }
    - { name: OAUTH2_PROXY_REDIRECT_URL, value: $(TARSY_DASHBOARD_URL)/oauth2/callback }
    {{- range $variable, $key := dict "CLIENT_ID" "client-id" "CLIENT_SECRET" "client-secret" "COOKIE_SECRET" "cookie-secret" }}
    - name: OAUTH2_PROXY_{{ $variable }}
      valueFrom: { secretKeyRef: { name: {{ $.Values.secrets.oauth2Proxy }}, key: {{ $key }} } }
    {{- end }}
  readinessProbe:
    httpGet: { path: /ping, port: dashboard }
    periodSeconds: 5
  livenessProbe:
    httpGet: { path: /ping, port: dashboard }
    periodSeconds: 10
    failureThreshold: 3
  {{- include "tarsy.restricted" . | nindent 2 }}
  resources: {{ toJson .Values.signIn.oauth2Proxy.resources }}
  volumeMounts:
    - { name: oauth2-proxy, mountPath: /etc/oauth2-proxy, readOnly: true }
    - { name: sign-in, mountPath: /etc/sign-in, readOnly: true }
{{- end -}}

{{/* The settings of oauth2-proxy, moved to the listen address and below the sub-path. */}}
{{- define "tarsy.oauth2ProxyConfig" -}}
{{- $text := .Files.Get "files/oauth2-proxy.cfg" | replace "0.0.0.0:" (printf "%s:" (include "tarsy.listenHost" .)) -}}
{{- $subPath := include "tarsy.subPath" . -}}
{{- if $subPath -}}
{{- $text | replace "^/" (printf "^%s/" $subPath) | trim }}
# Below the sub-path, so that cookies and pages of other programs on the host stay apart.
proxy_prefix = "{{ $subPath }}/oauth2"
cookie_path = "{{ $subPath }}"
{{ else -}}
{{- $text -}}
{{- end -}}
{{- end -}}

{{/* The proxy that checks tokens of service accounts, as a container of the API's pod. */}}
{{- define "tarsy.kubeRbacProxy" -}}
- name: kube-rbac-proxy
  image: {{ include "tarsy.image" (list . .Values.images.kubeRbacProxy) }}
  args:
    - --secure-listen-address={{ include "tarsy.listenHost" . }}:8443
    - --upstream=http://127.0.0.1:8080/
    - --auth-header-fields-enabled=true
    # The same header family as oauth2-proxy, because TARSy trusts only one.
    - --auth-header-user-field-name=x-forwarded-user
    - --auth-header-groups-field-name=x-forwarded-groups
    - --auth-header-groups-field-separator=,
    {{- if .Values.signIn.kubeRbacProxy.tlsSecret }}
    - --tls-cert-file=/etc/tls/tls.crt
    - --tls-private-key-file=/etc/tls/tls.key
    {{- end }}
  ports:
    - { name: api, containerPort: 8443 }
  readinessProbe:
    tcpSocket: { port: api }
    periodSeconds: 5
  livenessProbe:
    tcpSocket: { port: api }
    periodSeconds: 10
    failureThreshold: 3
  {{- include "tarsy.restricted" . | nindent 2 }}
  resources: {{ toJson .Values.signIn.kubeRbacProxy.resources }}
  volumeMounts:
    - { name: proxy-tmp, mountPath: /tmp }
    {{- if .Values.signIn.kubeRbacProxy.tlsSecret }}
    - { name: api-tls, mountPath: /etc/tls, readOnly: true }
    {{- end }}
{{- end -}}

{{/* "true" if kube-rbac-proxy runs. */}}
{{- define "tarsy.hasKubeRbacProxy" -}}
{{- if and (eq .Values.signIn.mode "proxy") .Values.signIn.kubeRbacProxy.enabled }}true{{ end -}}
{{- end -}}
