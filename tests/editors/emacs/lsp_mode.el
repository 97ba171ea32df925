;;; lsp_mode.el --- attach, definition, a patch by a command  -*- lexical-binding: t -*-
;;; Code:

(package-initialize)
(require 'lsp-mode)

(setq lsp-auto-guess-root t
      lsp-restart 'ignore
      lsp-enable-file-watchers nil
      lsp-session-file (expand-file-name "lsp-session" (getenv "HOME"))
      make-backup-files nil
      create-lockfiles nil)
(lsp-register-client
 (make-lsp-client :new-connection (lsp-stdio-connection '("tandem" "lsp"))
                  :activation-fn (lambda (file _mode) (not (null file)))
                  :priority 10
                  :server-id 'tandem))
(lsp-workspace-folders-add (directory-file-name default-directory))

(defun call-tandem (tool arguments)
  "Call TOOL with ARGUMENTS, a plist, and answer its result."
  (lsp-request "workspace/executeCommand"
               (list :command (concat "tandem." tool) :arguments (vector arguments))))

(defun must-be (what found wanted)
  "Fail with WHAT unless FOUND is WANTED."
  (unless (equal found wanted)
    (error "%s: %S instead of %S" what found wanted)))

(defun is-ready ()
  "Whether the server has been initialized."
  (and lsp--buffer-workspaces
       (eq 'initialized (lsp--workspace-status (car lsp--buffer-workspaces)))))

(with-current-buffer (find-file-noselect "a.py")
  ;; lsp-mode does nothing in batch mode.
  (setq noninteractive nil)
  (lsp)
  (let ((tries 0))
    (while (and (< tries 300) (not (is-ready)))
      (accept-process-output nil 0.1)
      (setq tries (1+ tries))))
  (must-be "attached" (is-ready) t)
  (goto-char (point-max))
  (search-backward "f(")
  (let ((link (elt (lsp-request "textDocument/definition" (lsp--text-document-position-params)) 0)))
    (must-be "definition"
             (gethash "line" (gethash "start" (gethash "targetSelectionRange" link)))
             0))
  (goto-char (point-min))
  (insert "# unsaved\n")
  (let ((result (call-tandem "apply_edit"
                             '(:path "a.py" :old_text "return 1" :new_text "return 2"))))
    (must-be "changed" (gethash "changed" result) t))
  (let ((text "# unsaved\ndef f():\n    return 2\n\n\nf()\n"))
    (must-be "the buffer" (buffer-string) text)
    (must-be "the server" (gethash "content" (call-tandem "read_file" '(:path "a.py"))) text))
  (set-buffer-modified-p nil)
  (setq noninteractive t))
(message "SCENARIO PASSED with lsp-mode in Emacs %s" emacs-version)
(kill-emacs 0)
;;; lsp_mode.el ends here
